"""The plan of files of settings: all of them, at every scale, as the papers have it."""

import json

import pytest
from settings_samples import BASES, FILE, HEART, HUMPHRIES, OWN_CONFIG, OWN_FILES, ROOT

from dpmia.common.errors import ConfigError
from dpmia.papers.humphries.names import STRONG
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES


@pytest.mark.parametrize("scale", SCALES)
def test_the_own_files_make_a_plan_at_every_scale(scale):
    plan = make_plan(OWN_CONFIG | {"scale": scale}, ROOT)
    for section in ("experiments", "studies"):
        written = [(name, entry) for file in OWN_FILES for name, entry in file.get(section, {}).items()]
        assert list(getattr(plan, section)) == [
            name for name, entry in written if scale in entry.get("at_scales", SCALES)
        ]


#: Experiments of ours in the file of Humphries et al.
OURS = (*STRONG, "adult_canaries", "student_canaries")


def test_sizes_of_training_sets_are_those_of_humphries_at_every_scale():
    plans = [make_plan(OWN_CONFIG | HUMPHRIES | {"scale": scale}, ROOT) for scale in SCALES]
    for name, experiment in plans[0].experiments.items():
        if name.endswith("_canaries"):
            continue
        assert all(plan.experiments[name].membership == experiment.membership for plan in plans)
        assert all(plan.experiments[name].training.batch_size == experiment.training.batch_size for plan in plans)


def test_paper_scale_is_that_of_humphries():
    # Humphries et al. 2023, IV-A and IV-B, and the epsilons of their src/config.py.
    for name, experiment in make_plan(OWN_CONFIG | HUMPHRIES | {"scale": "paper"}, ROOT).experiments.items():
        finite = [0.01, 0.1, 1, 10, 100, 1000][name == "adult_cluster_published" :]  # no noise reaches 0.01 there
        finite = [] if name == "heart_poisson" else finite  # the other sampler of models without privacy
        assert [epsilon for group in experiment.epsilons for epsilon in group] == [*finite, float("inf")]
        assert experiment.replicates == (20 if name == "student_strong" else 10 if name in OURS else 50)
        assert experiment.model.hidden == [256, 256]
        training = experiment.training
        assert (training.epochs, training.learning_rate, training.clip_norm) == (100, 0.01, 1.0)
        assert training.batch_size == (32 if experiment.dataset in ("heart", "student") else 200)
        assert experiment.privacy.delta == 1e-5
        assert (experiment.shadows.count, experiment.shadows.l2, experiment.shadows.attack_epochs) == (5, 1e-5, 100)


def test_several_files_are_one_plan(tmp_path):
    (tmp_path / "a.yaml").write_text(json.dumps(FILE))
    (tmp_path / "b.yaml").write_text(json.dumps({"paper": "other", "experiments": {"more": HEART}}))
    plan = make_plan({"experiments": ["a.yaml", "b.yaml"]}, tmp_path)
    assert list(plan.experiments) == [*BASES, "more"]
    assert plan.config.scale == "laptop"


def test_a_star_stands_for_all_files_that_it_matches_in_alphabetical_order(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("b", "a", "c"):
        (tmp_path / f"sub/{name}.yaml").write_text(json.dumps({"paper": name, "experiments": {name: HEART}}))
    (tmp_path / "sub/other.yml").write_text("no: [settings")
    for pattern in ("sub/*.yaml", "*/*.yaml", str(tmp_path / "sub/*.yaml")):
        assert list(make_plan({"experiments": [pattern]}, tmp_path).experiments) == ["a", "b", "c"]
    assert list(make_plan({"experiments": ["sub/c.yaml", "sub/a*.yaml"]}, tmp_path).experiments) == ["c", "a"]


def test_one_engine_trains_the_networks_of_all_experiments():
    config = OWN_CONFIG | {"experiments": ["experiments/humphries.yaml", "experiments/patients.yaml"]}
    own, opacus = (make_plan(config | {"engine": engine}, ROOT).experiments for engine in (None, "opacus"))
    assert {experiment.training.engine for experiment in own.values()} == {"stacked", "scikit_learn"}
    for name, experiment in own.items():
        engine = "scikit_learn" if name == "audit_forest" else "opacus"
        assert opacus[name] == experiment.model_copy(
            update={"training": experiment.training.model_copy(update={"engine": engine})}
        )
    refused = "thudi_mnist_clipped: clip_all cannot be combined with engine 'opacus'.* The key engine sets it for all"
    with pytest.raises(ConfigError, match=refused):
        make_plan(config | {"engine": "opacus", "experiments": ["experiments/thudi.yaml"]}, ROOT)
