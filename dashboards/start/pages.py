"""The script that Streamlit runs for every opened page."""

from dashboards.app import main

main()
