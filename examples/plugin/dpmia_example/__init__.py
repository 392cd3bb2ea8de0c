"""An attack, a data set, a membership experiment and a model for dpmia."""
