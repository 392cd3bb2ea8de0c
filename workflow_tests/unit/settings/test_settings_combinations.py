"""Settings that cannot be combined, and their neighbours that can."""

import pytest
from settings_refusals import refusal
from settings_samples import FILE, changed

PER_RECORD = {"count": 10, "alphas": [0.1]}
LOOKED_AT = {"attacks.population": {}, "per_record": PER_RECORD}


def _leave_one_out(**changes):
    return {"per_record": PER_RECORD | {"leave_one_out": {"records": 4, "block": 2, "models": 2} | changes}}


PUBLISHED = {"training.sampling": "shuffle", "privacy.accountant": "rdp_as_published"}


TREES = {"kind": "random_forest", "trees": 2}
SHADOWS = {"shadows": {}, "attacks.shadow": {}}


@pytest.mark.parametrize(
    ("base", "changes", "phrases"),
    [
        ("iid", {"membership.members": "all"}, ["membership: ", "'iid'", "'all'"]),
        ("bias", {"membership.nonmembers": "all"}, ["membership: ", "'bias'", "'all'"]),
        ("iid", {"iid_arms": True}, ["iid_arms cannot be combined", "'iid'"]),
        ("iid", {"training.momentum": 0.9}, ["momentum cannot be combined", "'adam'", "sgd"]),
        ("iid", {"training.momentum": 0.9, "training.optimiser": "sgd"}, None),
        ("iid", {"training.betas": [0.9, 0.99], "training.optimiser": "sgd"}, ["betas cannot be combined", "'sgd'"]),
        ("iid", {"training.devices": [3]}, ["devices cannot be combined", "'stacked'", "CPU"]),
        ("iid", {"membership.most": 5}, ["most cannot be combined", "whole numbers"]),
        ("iid", {"membership.members": 0.5, "membership.nonmembers": 0.5, "membership.most": 10}, None),
        ("adult", {"pool": 2}, ["pool cannot be combined", "'adult'", "cifar10"]),
        ("adult", {"blind.with_loss": [7]}, ["epsilon 7", "blind.with_loss"]),
        ("adult", {"blind.with_loss": [1]}, None),
        (
            "bernoulli",
            {"membership.canaries": ["outlier"], "membership.queries": "all"},
            ["membership: ", "canaries needs the number of records", "Set queries"],
        ),
        ("bernoulli", {"membership.canaries": ["outlier"], "membership.queries": 10}, None),
        (
            "bernoulli",
            {"membership.canaries": ["outlier", "outlier"], "membership.queries": 10},
            ["membership: ", "more than once"],
        ),
        ("iid", {"membership.canaries": ["outlier"]}, ["membership: ", "'iid'", "not take canaries"]),
        ("bernoulli", {"iid_arms": True}, ["iid_arms cannot be combined", "'bernoulli'"]),
        ("bias", {"iid_arms": True}, None),
        ("iid", {"training.engine": "plain"}, ["'plain' cannot be combined", "finite epsilon"]),
        ("iid", {"training.engine": "plain", "epsilons": [["inf"]]}, None),
        (
            "iid",
            {"arms": {"any": {"group": "va"}}},
            ["arm 'any'", "'iid'", "not take group", "members, nonmembers, population"],
        ),
        ("iid", {"arms": {"any": {"members": 300, "training": {"epochs": 2}}}}, None),
        ("bernoulli", {"arms": {"any": {"rate": 0.5, "members": 3}}}, ["arm 'any'", "'bernoulli'", "not take members"]),
        ("bias", {"arms.p25.share": None}, ["arm 'p25'", "'bias'", "needs share"]),
        ("bernoulli", {"arms": {"any": {}}}, ["arm 'any'", "'bernoulli'", "needs rate"]),
        (
            "iid",
            {"training.sampling": "shuffle", "privacy.relation": "add_remove"},
            ["'shuffle'", "'add_remove'", "'pld' cannot be combined"],
        ),
        (
            "iid",
            {"training.sampling": "shuffle", "privacy.accountant": "rdp"},
            ["'shuffle'", "'replace_one'", "'rdp' cannot be combined"],
        ),
        (
            "iid",
            {"privacy.accountant": "rdp_as_published"},
            ["'poisson'", "'replace_one'", "'rdp_as_published' cannot be combined"],
        ),
        (
            "iid",
            {**PUBLISHED, "privacy.relation": "add_remove"},
            ["'shuffle'", "'add_remove'", "'rdp_as_published' cannot be combined"],
        ),
        ("iid", PUBLISHED, None),
        (
            "bernoulli",
            {"training.sampling": "shuffle", "privacy.relation": "replace_one"},
            ["'shuffle' cannot be combined", "'bernoulli'", "'poisson'"],
        ),
        ("bernoulli", {"training.sampling": "shuffle", "privacy": {}, "epsilons": [["inf"]]}, None),
        ("adult", {"references": {"count": 4, "block": 2}, "attacks.lira_offline": {"reference_arm": "cluster"}}, None),
        (
            "adult",
            {"references": {"count": 4, "block": 2}, "attacks.lira_offline": {"reference_arm": "clutser"}},
            ["'clutser'", "'lira_offline'", "Did you mean 'cluster'?"],
        ),
        (
            "adult",
            {"references": {"count": 3, "block": 3}, "attacks.lira": {}},
            ["'lira'", "at least 4", "3"],
        ),
        (
            "adult",
            {"references": {"count": 1, "block": 1}, "attacks.lira_offline": {}},
            ["'lira_offline'", "at least 2", "1"],
        ),
        ("adult", {"references": {"count": 1, "block": 1}, "attacks.lira_offline": {"variance": "published"}}, None),
        (
            "adult",
            {"references": {"count": 4, "block": 2}, "attacks.lira": {}, "iid_arms": False},
            ["'lira'", "'cluster'", "trained on no non-member", "iid_arms: true"],
        ),
        (
            "adult",
            {"references": {"count": 4, "block": 2}, "attacks.lira": {"reference_arm": "cluster"}},
            ["'lira'", "'cluster'", "leave reference_arm out"],
        ),
        ("adult", {"references": {"count": 4, "block": 2}, "attacks.lira_offline": {}, "iid_arms": False}, None),
        ("adult", {"shadows": {}, "attacks.shadow": {}}, None),
        ("heart", LOOKED_AT, ["per_record cannot be combined", "IID arms", "epsilon"]),
        ("iid", LOOKED_AT, ["per_record cannot be combined", "IID arms", "epsilon"]),
        ("iid", {**LOOKED_AT, "epsilons": [[1]]}, None),
        (
            "iid",
            {**LOOKED_AT, "per_record.arms": ["other"], "epsilons": [[1]]},
            ["per_record.arms", "unknown arms: other", "any"],
        ),
        (
            "iid",
            {**LOOKED_AT, "per_record.arms": ["any", "any"], "epsilons": [[1]]},
            ["per_record.arms", "more than once", "any"],
        ),
        (
            "iid",
            {
                **LOOKED_AT,
                "epsilons": [[1]],
                "references": {"count": 4, "block": 2},
                "attacks.reference": {"reference_arm": "any"},
            },
            ["reference_arm", "'reference' cannot be combined with per_record"],
        ),
        ("iid", {"arms": {"any": {"members": 7}}}, ["training.batch_size: 8 ", "target models"]),
        ("iid", {"arms": {"any": {"members": 7, "training": {"batch_size": 7}}}}, None),
        (
            "iid",
            {"arms": {"any": {"members": 9, "training": {"batch_size": 10}}}},
            ["training.batch_size: 10 ", "larger than"],
        ),
        ("iid", {"membership.members": 7}, ["7 records, arm any", "Lower training.batch_size, or"]),
        ("iid", {"training.batch_size": 10}, ["or raise membership.members."]),
        ("iid", {"training": {"engine": "scikit_learn"}, "model": TREES, "epsilons": [["inf"]]}, None),
        ("iid", {"membership.population": 24, **SHADOWS, "shadows.count": 3}, None),
        ("iid", {"membership.population": 23, **SHADOWS, "shadows.count": 3}, ["shadow models (7 records"]),
        (
            "iid",
            {**LOOKED_AT, **_leave_one_out(), "epsilons": [["inf"]], "training.batch_size": 9},
            ["without one record (8"],
        ),
        (
            "iid",
            {**LOOKED_AT, **_leave_one_out(), "epsilons": [["inf"]], "training.batch_size": 3},
            ["3 divides the 9 members of arm any", "Choose a size that does not divide"],
        ),
        ("bias", {"training.batch_size": 41}, ["40 records, arm p25, group 'Male'"]),
        ("adult", {"training.batch_size": 101}, ["100 records, arm cluster, group '0'"]),
        ("bernoulli", {"training.batch_size": 11}, ["10 records, arm p0.1", "Lower training."]),
        ("bernoulli", {"membership.records": "all", "training.batch_size": 11}, None),
        (
            "iid",
            {**LOOKED_AT, **_leave_one_out(arms=["other"]), "epsilons": [["inf"]]},
            ["per_record.leave_one_out.arms", "unknown arms: other", "any"],
        ),
        ("iid", {"per_record": PER_RECORD, "epsilons": [[1]]}, ["per_record needs", "population"]),
        (
            "iid",
            {**LOOKED_AT, **_leave_one_out(), "epsilons": [[1]]},
            ["per_record.leave_one_out cannot be combined", "finite epsilon"],
        ),
        ("iid", {**LOOKED_AT, **_leave_one_out(), "epsilons": [["inf"]]}, None),
        ("iid", {**LOOKED_AT, **_leave_one_out(targets=5), "epsilons": [["inf"]]}, ["targets (5)", "replicates (4)"]),
        (
            "iid",
            {**LOOKED_AT, **_leave_one_out(records=3), "epsilons": [["inf"]]},
            ["records (3)", "multiple of block (2)"],
        ),
        ("iid", {**LOOKED_AT, **_leave_one_out(records=12), "epsilons": [["inf"]]}, ["records (12)", "count (10)"]),
        ("bias", {"arms.p25.epsilons": [1, 10]}, ["epsilon 10", "'p25'"]),
        ("bias", {"arms.p25.epsilons": [0.1, 1, 1.0, "inf"]}, ["'p25'", "more than once", "0.1, 1, 1, inf"]),
        ("bias", {"arms.p25.epsilons": []}, ["arms.p25.epsilons: [] ", "at least 1"]),
        ("bias", {"arms.p25.epsilons": [1]}, ["no arm", "0.1, inf"]),
        ("bias", {"arms.p25.epsilons": [1, "inf", "1e-1"]}, None),
        ("bias", {"arms": {"a": {"group": "M", "share": 1, "epsilons": [1]}, "b": {"group": "M", "share": 1}}}, None),
        ("bernoulli", {"accuracy_by_epoch": True}, ["accuracy_by_epoch", "membership.validation"]),
        ("bernoulli", {"accuracy_by_epoch": True, "membership.validation": 10}, None),
        ("bias", {"accuracy_by_epoch": True}, None),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(plan, base, changes, phrases):
    file = FILE
    for path, value in changes.items():
        file = changed(file, f"experiments.{base}.{path}", value)
    if phrases is None:  # the neighbours of what is refused
        plan(file)
        return
    message = refusal(plan, file)
    for phrase in [f"a.yaml, {base}", *phrases]:
        assert phrase in message
