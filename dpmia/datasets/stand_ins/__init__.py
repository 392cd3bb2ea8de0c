"""Stand-ins: raw files in the publishers' own formats with records that are made up.

Each module writes the files of one data set from a seed. Records follow small tables of rounded
frequencies, estimated from the real files, so that groups, labels and features depend on each other
much as they really do; no record is taken from anywhere. These modules are imported only when
stand-ins are written.
"""
