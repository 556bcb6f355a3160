"""One script for each page; Streamlit runs them, nothing imports them."""
