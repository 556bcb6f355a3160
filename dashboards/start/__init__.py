"""Where Streamlit starts: a folder of its own, for next to a folder `pages` it would open a link to a page without `app`."""
