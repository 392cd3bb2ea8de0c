"""Yeom et al. 2018: how much overfitting gives to attackers on membership and on hidden attributes."""
