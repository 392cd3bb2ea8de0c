"""Experiments whose models are fitted in milliseconds: fitting, attacks and measurement are one job."""
