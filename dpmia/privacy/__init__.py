"""Differential privacy: accounting, calibration of noise, exact upper bounds, planning."""
