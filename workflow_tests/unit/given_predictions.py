"""Settings of a model that is known by its predictions."""

from dpmia.settings.predictions import Predictions


def prediction_settings(folder, **changed):
    queried = {
        "path": str(folder / "model.csv"),
        "classes": {"no": "z0", "yes": "z1"},
        "scale": "logits",
        "references": [str(file) for file in sorted(folder.glob("reference-*.csv"))],
        "attacks": {"average_threshold": {}, "lira_offline": {}},
    }
    return Predictions(**(queried | changed))
