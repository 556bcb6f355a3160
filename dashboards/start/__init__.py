"""The folder where Streamlit starts. Next to a folder `pages`, Streamlit would open a linked page without `app`."""
