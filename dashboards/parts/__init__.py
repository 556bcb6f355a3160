"""Parts that several pages share: queries and drawing, the desk, exports, and panels of Queue, Round and Floor."""
