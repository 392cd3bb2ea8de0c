"""An audit of a data owner's models: the tables of its experiments as text, numbers and a page."""
