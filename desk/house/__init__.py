"""A house and its people: the property from a file, the office's filings, the entries of pit and count room."""
