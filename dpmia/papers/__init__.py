"""The papers: for each, the figures and tables it shows and how ours are made. Nothing else names a paper."""
