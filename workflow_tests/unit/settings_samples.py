"""What tests of settings share: experiments of every kind, small and valid, and how to change and read them."""

import copy

import yaml

from dpmia.planning.plan import make_plan
from dpmia.settings.experiment import Experiment
from dpmia.settings.generate import ROOT
from dpmia.settings.messages import checked

OWN_CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
OWN_FILES = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob("experiments/*.yaml"))]
HUMPHRIES = {"experiments": ["experiments/humphries.yaml"]}

HEART = {
    "dataset": "heart",
    "membership": {"kind": "group", "by": "hospital", "members": "all", "nonmembers": "all"},
    "arms": {"va": {"group": "va"}},
    "epsilons": [[0.1, 1], ["inf"]],
    "replicates": 4,
    "block": 2,
    "attacks": {"random": {}},
}
ADULT = HEART | {
    "dataset": "adult",
    "membership": {
        "kind": "cluster",
        "clusters": 2,
        "pairing": "farthest",
        "cluster_seed": 0,
        "restarts": 10,
        "members": 100,
        "nonmembers": 100,
    },
    "arms": {"cluster": {"group": "0"}},
    "training": {"batch_size": 100},
}
IID = HEART | {
    "membership": {"kind": "iid", "members": 9, "nonmembers": 9},
    "arms": {"any": {}},
    "iid_arms": False,
    "training": {"batch_size": 8},
}
BIAS = HEART | {
    "dataset": "adult",
    "attributes": ["sex"],
    "membership": {"kind": "bias", "by": "sex", "members": 40, "nonmembers": 20, "validation": 10},
    "arms": {"p25": {"group": "Male", "share": 0.25}},
    "training": {"batch_size": 40},
    "iid_arms": False,
}
BERNOULLI = HEART | {
    "membership": {"kind": "bernoulli", "records": 100, "queries": 50},
    "arms": {"p0.1": {"rate": 0.1}, "p0.5": {"rate": 0.5}},
    "privacy": {"relation": "add_remove"},
    "training": {"batch_size": 10},
    "iid_arms": False,
}
BASES = {
    name: copy.deepcopy(base)  # none shares with another what a test changes
    for name, base in {"heart": HEART, "adult": ADULT, "iid": IID, "bias": BIAS, "bernoulli": BERNOULLI}.items()
}
FILE = {"paper": "someone", "experiments": BASES}

#: Every kind of model and attack that needs models of the attacker.
RICH = ADULT | {
    "blind": {"replicates": 3, "with_loss": [1, "inf"]},
    "shadows": {"count": 3, "l2": 0.25, "attack_epochs": 7},
    "references": {"count": 6, "block": 3, "private": False},
    "attacks": {
        "random": {},
        "shadow": {},
        "lira": {"kind": "lira_offline", "reference_arm": "cluster", "variance": "pooled"},
        "distillation": {},
        "population": {"alpha": 0.1},
    },
}


def changed(settings, path, value):
    """Return a copy of nested `settings` with `value` at `path`, a dotted name."""
    settings = copy.deepcopy(settings)
    *above, last = path.split(".")
    node = settings
    for step in above:
        node = node.setdefault(step, {})
    node[last] = value
    return settings


def plan_of(folder, file, scale="laptop", **config):
    """Return the plan of one experiment file, plain data or text, written to `folder`."""
    text = file if isinstance(file, str) else yaml.safe_dump(file, sort_keys=False)
    (folder / "a.yaml").write_text(text, encoding="utf-8")
    return make_plan({"scale": scale, "experiments": ["a.yaml"], **config}, folder)


def experiment(base=HEART, **changes):
    """Return an experiment with other values; two underscores stand for the dot between keys."""
    for path, value in changes.items():
        base = changed(base, path.replace("__", "."), value)
    return checked(Experiment, base, "test")
