"""An audit of a data owner's models: what the tables of its experiments say, in words, numbers and a page."""
