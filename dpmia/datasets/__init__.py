"""Data sets: raw files as their publishers write them, and what models and groups are made from.

A data set is one module with two functions:

* `read(folder)` parses and checks the raw files: one row per record, publisher's column names;
* `encode(frame, attributes)` turns the rows into features, labels and attributes (`dataset.Dataset`).

A table of its name in `synthetic` describes synthetic raw files of the same format.

`sources.csv` lists the raw files of every data set.
"""
