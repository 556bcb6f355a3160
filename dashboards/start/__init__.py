"""Where Streamlit starts: a folder of its own, for beside a folder `pages` it would open a link to a page without `app`."""
