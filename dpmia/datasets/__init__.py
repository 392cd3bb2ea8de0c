"""Data sets: raw files as their publishers write them, and what models and groups are made from.

A data set is one module with three functions:

* `read(folder)` parses and checks the raw files: one row per record, publisher's column names;
* `encode(frame, attributes)` turns the rows into features, labels and attributes (`table.Dataset`);
* `stand_in(folder, seed)` writes raw files of the same format with made-up records.

`sources.csv` lists the raw files of every data set.
"""

from __future__ import annotations

#: name in the settings -> module. Imported only when used (see `dpmia.registry.load`).
DATASETS = {
    "adult": "dpmia.datasets.adult",
    "compas": "dpmia.datasets.compas",
    "heart": "dpmia.datasets.heart",
    "student": "dpmia.datasets.student",
}
