"""What papers claim, judged by machine on the tables of a run: no knowledge of any paper here."""
