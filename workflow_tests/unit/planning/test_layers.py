"""Layers of settings: what later ones change, what null takes away, and at which scales an experiment is run."""

import pytest
from settings_samples import ADULT, FILE, HEART, changed

from dpmia.common.errors import ConfigError
from dpmia.settings.base import SCALES
from dpmia.settings.training import Privacy, Training


def test_later_layers_count_more(plan):
    file = {
        "paper": "someone",
        "defaults": {**HEART, "training": {"epochs": 1, "batch_size": 11, "learning_rate": 0.5}},
        "scales": {"laptop": {"training": {"epochs": 3, "batch_size": 13}}, "paper": {"training": {"epochs": 5}}},
        "experiments": {
            "plain": {},
            "own": {"training": {"epochs": 2, "decay": 0.1}},
            "own_scale": {"training": {"epochs": 2}, "scales": {"laptop": {"training": {"epochs": 4}}}},
            "own_night": {
                "training": {"epochs": 2},
                "scales": {"night": {"training": {"epochs": 6}}, "paper": {"training": {"epochs": 7}}},
            },
        },
    }
    expected = {
        # name -> epochs at smoke, laptop, night (as paper, unless it changes more), paper
        "plain": (1, 3, 5, 5),
        "own": (2, 3, 5, 5),
        "own_scale": (2, 4, 5, 5),
        "own_night": (2, 3, 6, 7),
    }
    for place, scale in enumerate(SCALES):
        experiments = plan(file, scale).experiments
        for name, epochs in expected.items():
            training = experiments[name].training
            assert training.epochs == epochs[place], (name, scale)
            assert training.batch_size == (13 if scale == "laptop" else 11)
            assert training.learning_rate == 0.5
            assert training.decay == (0.1 if name == "own" else 0)


def test_a_layer_replaces_lists_as_a_whole_and_adds_to_what_has_names(plan):
    file = FILE | {"scales": {"smoke": {"epsilons": [[10]], "attacks": {"average_threshold": {}}}}}
    assert plan(file, "smoke").experiments["heart"].epsilons == [[10]]
    assert list(plan(file, "smoke").experiments["heart"].attacks) == ["random", "average_threshold"]
    assert plan(file, "paper").experiments["heart"].epsilons == [[0.1, 1], [float("inf")]]


def test_an_experiment_like_another_has_all_its_settings_but_its_own(plan):
    file = {
        "paper": "someone",
        "defaults": {"training": {"epochs": 2}},
        "experiments": {
            "cluster": ADULT | {"scales": {"smoke": {"replicates": 2}}},
            "reverse": {"like": "cluster", "arms": {"cluster": {"group": "1"}}, "training": {"learning_rate": 0.5}},
            "again": {"like": "reverse", "membership": {"pairing": "nearest"}, "scales": {"smoke": {"block": 1}}},
        },
    }
    experiments = plan(file, "smoke").experiments
    cluster, reverse, again = (experiments[name].model_dump() for name in ("cluster", "reverse", "again"))
    assert cluster["replicates"] == 2
    training = cluster["training"] | {"learning_rate": 0.5}
    assert reverse == cluster | {
        "arms": {"cluster": cluster["arms"]["cluster"] | {"group": "1"}},
        "training": training,
    }
    assert again == reverse | {"membership": cluster["membership"] | {"pairing": "nearest"}, "block": 1}
    assert plan(file, "paper").experiments["again"].replicates == 4


def test_an_experiment_is_run_at_its_scales_or_at_those_of_the_one_it_is_like(plan):
    file = {
        "paper": "someone",
        "experiments": {
            "always": ADULT,
            "long": {"like": "always", "at_scales": ["night", "paper"]},
            "as_long": {"like": "long", "arms": {"cluster": {"group": "1"}}},
            "short": {"like": "long", "at_scales": ["smoke"]},
            "unset": {"like": "long", "at_scales": None},
        },
    }
    for scale, run in {
        "smoke": ["always", "short"],
        "laptop": ["always"],
        "night": ["always", "long", "as_long", "unset"],
        "paper": ["always", "long", "as_long", "unset"],
    }.items():
        at_scale = plan(file, scale)
        assert list(at_scale.experiments) == list(at_scale.at_paper_scale) == list(at_scale.sources) == run
        assert {*at_scale.of_other_scales} == {*file["experiments"]} - {*run}


def test_scales_at_which_an_experiment_is_not_run_are_checked_too(plan):
    file = {"paper": "someone", "experiments": {"long": ADULT | {"at_scales": ["paper"], "replicates": -1}}}
    with pytest.raises(ConfigError, match="replicates"):
        plan(file, "smoke")
    file["experiments"]["long"] = ADULT | {"at_scales": ["papers"]}
    with pytest.raises(ConfigError, match="at_scales"):
        plan(file, "smoke")


def test_null_takes_away_what_would_be_inherited_at_every_scale(plan):
    file = {
        "paper": "someone",
        "defaults": {**ADULT, "shadows": {"count": 3}, "training": {"batch_size": 9, "epochs": 7}, "blind": {}},
        "scales": {scale: {"shadows": {"attack_epochs": 1}, "blind": {"replicates": 1}} for scale in SCALES},
        "experiments": {
            "all": {"attacks": {"shadow": {}, "average_threshold": {}}},
            "fewer": {"like": "all", "attacks": {"shadow": None}, "blind": None, "training": {"epochs": None}},
            "none": {"like": "fewer", "shadows": None, "privacy": None},
        },
    }
    for scale in SCALES:
        cases = plan(file, scale).experiments
        assert list(cases["all"].attacks) == ["random", "shadow", "average_threshold"]
        assert list(cases["fewer"].attacks) == list(cases["none"].attacks) == ["random", "average_threshold"]
        assert (cases["all"].blind.replicates, cases["fewer"].blind, cases["none"].blind) == (1, None, None)
        assert (cases["all"].shadows.count, cases["fewer"].shadows.attack_epochs, cases["none"].shadows) == (3, 1, None)
        # What is taken away has the default of the schema.
        assert [cases[name].training.epochs for name in ("all", "fewer")] == [7, Training().epochs]
        assert cases["none"].privacy == Privacy()


def test_null_at_one_scale_takes_away_at_that_scale_only(plan):
    file = changed(FILE, "experiments.adult.blind", {"replicates": 2})
    file = changed(file, "experiments.adult.scales.smoke.blind", None)
    assert plan(file, "smoke").experiments["adult"].blind is None
    assert plan(file, "laptop").experiments["adult"].blind.replicates == 2


def test_what_was_taken_away_can_be_given_back_by_an_experiment_like_it(plan):
    file = {
        "paper": "someone",
        "experiments": {
            "all": ADULT | {"blind": {"replicates": 2}, "attacks": {"random": {}, "average_threshold": {}}},
            "fewer": {"like": "all", "blind": None, "attacks": {"random": None}},
            "back": {"like": "fewer", "blind": {"with_loss": [1]}, "attacks": {"random": {}}},
        },
    }
    experiments = plan(file).experiments
    assert list(experiments["fewer"].attacks) == ["average_threshold"]
    assert set(experiments["back"].attacks) == {"average_threshold", "random"}
    assert (experiments["back"].blind.replicates, experiments["back"].blind.with_loss) == ("all", [1.0])
