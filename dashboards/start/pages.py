"""The script that Streamlit runs for every page that is opened."""

from dashboards.app import main

main()
