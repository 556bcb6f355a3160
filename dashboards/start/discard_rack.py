"""The script that `dashboards.run.command` has Streamlit run."""

from dashboards.app import main

if __name__ == "__main__":
    main()
