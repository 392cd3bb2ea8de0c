"""Synthetic data: raw files in the publishers' own formats, written from a seed; no record is taken from anywhere.

Records follow tables of rounded proportions, estimated from the real files, so that groups, labels and features depend
on each other much as they really do. `<data set>.toml` holds the tables, and `sampler` draws records from them. What
no table describes (images, dates, joint distributions) is a module of the same name beside it, listed in `SYNTHETIC`
of `dpmia/settings/names.py`. These modules are imported only when synthetic data are written.
"""
