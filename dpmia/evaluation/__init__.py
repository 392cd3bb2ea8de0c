"""From the files of models to tables: attacks, accuracy, blind baseline, single records, summaries."""
