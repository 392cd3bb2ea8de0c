"""Thudi et al. 2024: how surely members can be named depends on the sampling rate more than on epsilon."""
