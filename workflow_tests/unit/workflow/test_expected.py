"""What a job will cost: its models are counted exactly, its time roughly."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from dpmia.common.epsilon import spell_group
from dpmia.common.errors import DataError
from dpmia.formats.model_card import Architecture
from dpmia.models.cnn import TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST, Convolution
from dpmia.planning import jobs, reference_jobs
from dpmia.planning.plan import make_plan
from dpmia.settings import names
from dpmia.workflow.expected import _SHORT, FORK, TRAINING, Expectations, MachineRates, key, step_seconds
from dpmia.workflow.training_work import SIZES, ExperimentWork

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def plan():
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
    return make_plan(config | {"scale": "smoke"}, REPOSITORY)


def wildcards_of(plan, kind, name):
    """Return the wildcards of the first job of a kind."""
    experiment = plan.experiments[name]
    groups = reference_jobs.groups(experiment) if kind == "train_references" else experiment.epsilons
    return {"experiment": name, "epsilons": spell_group(groups[0]), "block": "0"}


def test_the_size_of_every_published_data_set_is_known():
    assert SIZES.keys() == names.DATASETS.built_in.keys()


def test_target_models_are_counted_by_arm_and_privacy(plan):
    work = ExperimentWork.of(plan.experiments["adult_cluster"])
    trained = work.trained("train_block", wildcards_of(plan, "train_block", "adult_cluster"))
    # Two arms, epsilons 1 and inf, two replicates.
    assert [(item.private, item.models) for item in trained] == [(True, 2), (False, 2), (True, 2), (False, 2)]
    assert {(item.records, item.queries, item.steps) for item in trained} == {(10000, 20000, 2 * 50)}
    assert work.targets() == (8, 8 * 20000)


def test_all_records_that_a_model_is_evaluated_on_are_counted(plan):
    mnist, budget = (ExperimentWork.of(plan.experiments[f"thudi_mnist{name}"]) for name in ("", "_budget"))
    # Of 70 000 records 300 are the pool, and 200 of them are attacked; all others are the population of attack P.
    assert {sizes[1:] for sizes in mnist.sizes.values()} == {(200, 69700, 0)}
    kinds = ("train_block", "train_references")
    of_all = [item for kind in kinds for item in mnist.trained(kind, wildcards_of(plan, kind, "thudi_mnist"))]
    # Reference models are evaluated on the records of all target models: here those are all.
    assert {item.evaluated for item in of_all} == {69900, 70000}
    # No attack of the other takes a population; 200 records measure accuracy, also after each epoch (one, here).
    assert {sizes[1:] for sizes in budget.sizes.values()} == {(200, 0, 200)}
    trained = budget.trained("train_block", wildcards_of(plan, "train_block", "thudi_mnist_budget"))
    assert {(item.queries, item.evaluated) for item in trained} == {(400, 600)}


def test_marks_of_a_colluding_trainer_are_records(plan):
    honest, colluding = (
        ExperimentWork.of(plan.experiments[name]).trained("train_block", wildcards_of(plan, "train_block", name))
        for name in ("yeom_mnist", "yeom_mnist_collusion")
    )
    keys = plan.experiments["yeom_mnist_collusion"].collusion.keys
    for one, other in zip(honest, colluding, strict=True):
        assert (other.records, other.queries) == ((1 + keys) * one.records, (1 + keys) * one.queries)


@pytest.mark.parametrize(
    ("network", "data"), [(TRAMER_BONEH_MNIST, (784, 10, 28)), (TRAMER_BONEH_CIFAR10, (3072, 10, 32))]
)
def test_networks_of_grey_and_of_colour_images_have_their_own_sizes(plan, network, data):
    (trained, *_) = Expectations(plan, MachineRates()).trained(
        "train_block", wildcards_of(plan, "train_block", "thudi_mnist")
    )
    multiplications, parameters = replace(
        trained, architecture=Architecture(names.MODELS["tramer_boneh"], {}), data=data
    ).network
    assert parameters == pytest.approx(network.parameter_count, rel=0.02)
    # Each weight of a convolution counts once for each place that it is applied at, of a dense layer once.
    places = [
        height * width
        for (_, height, width), layer in zip(network.images[1:], network.layers, strict=True)
        if isinstance(layer, Convolution)
    ] + [1] * (len(network.widths) - 1)
    weights = [math.prod(shape) for shape in network.shapes[::2]]
    assert multiplications == pytest.approx(sum(a * b for a, b in zip(places, weights, strict=True)), rel=0.02)


def test_models_of_other_roles_are_counted(plan):
    def models(kind, name, **more):
        work = ExperimentWork.of(plan.experiments[name])
        return sum(item.models for item in work.trained(kind, wildcards_of(plan, kind, name) | more))

    assert models("train_shadows", "adult_cluster") == 2 * 2 * 5
    assert models("train_references", "adult_cluster_strong") == 2 * 4
    assert models("train_distilled", "ye_cifar100") == 4 * 2 * 4
    assert models("train_leave_one_out", "ye_purchase", arm="IIa", replicate="0") == 4 * 2
    assert models("run_attack", "adult_cluster") == 0


def test_every_training_job_of_the_papers_can_be_expected(plan):
    expectations = Expectations(plan, MachineRates())
    for name, experiment in plan.experiments.items():
        expected = expectations.of("train_block", wildcards_of(plan, "train_block", name))
        assert expected.seconds > expectations.rates.start, name
        assert expected.memory > 0
        assert expected.disk > 0
        for attack in experiment.attacks:
            assert expectations.of("run_attack", {"experiment": name, "attack": attack, "block": "0"}).seconds > 0


def test_a_measured_step_replaces_the_estimate(plan):
    wildcards = wildcards_of(plan, "train_block", "adult_cluster")
    guessed = Expectations(plan, MachineRates())
    trained = guessed.trained("train_block", wildcards)
    measured = Expectations(plan, MachineRates(start=1.0, steps={key(item): 0.5 for item in trained}))
    steps = sum(item.steps for item in trained)
    assert measured.of("train_block", wildcards).seconds == pytest.approx(1.0 + 0.5 * steps, rel=0.01)


def test_nothing_is_expected_at_rates_that_were_replaced(plan):
    wildcards = wildcards_of(plan, "train_block", "adult_cluster")
    expectations = Expectations(plan, MachineRates(start=1.0))
    assert expectations.of("train_block", wildcards).start == 1.0
    for start in (2.0, 3.0, 4.0):
        expectations.take(MachineRates(start=start))
        assert expectations.of("train_block", wildcards).start == start


def test_what_changes_the_cost_of_a_step_changes_its_name(plan):
    (trained, *_) = Expectations(plan, MachineRates()).trained(
        "train_block", wildcards_of(plan, "train_block", "student")
    )
    longer = replace(trained.recipe, epochs=7, learning_rate=0.3)
    assert key(replace(trained, models=9, records=99, queries=5, recipe=longer)) == key(trained)
    larger = replace(trained, recipe=replace(trained.recipe, batch_size=64))
    assert key(larger) != key(trained)
    assert key(replace(trained, private=not trained.private)) != key(trained)
    assert step_seconds(larger) > step_seconds(trained)


def test_a_network_is_sized_by_its_layers(plan):
    (trained, *_) = Expectations(plan, MachineRates()).trained(
        "train_block", wildcards_of(plan, "train_block", "adult_cluster")
    )
    assert trained.network == (104 * 256 + 256 * 256 + 256 * 2,) * 2


@pytest.mark.parametrize("shape", [{"hidden": 64}, {"size": "large"}])
def test_a_network_of_the_users_own_is_guessed_whatever_its_arguments_are_called(plan, shape):
    (trained, *_) = Expectations(plan, MachineRates()).trained(
        "train_block", wildcards_of(plan, "train_block", "adult_cluster")
    )
    own, other = (
        replace(trained, architecture=Architecture("my_model.py:vgg", arguments)) for arguments in (shape, {})
    )
    assert own.network == other.network
    assert math.isfinite(step_seconds(own))


def test_each_engine_has_its_costs(plan):
    (trained, *_) = Expectations(plan, MachineRates()).trained(
        "train_block", wildcards_of(plan, "train_block", "adult_cluster")
    )
    plain, private = (
        {name: step_seconds(replace(trained, engine=spec)) for name, spec in zip(names.ENGINES, specs, strict=True)}
        for specs in zip(*(kind[:2] for kind in names.ENGINES.values()), strict=True)
    )
    assert private["lightning"] == private["opacus"] > plain["lightning"]


def test_the_blind_baseline_costs_what_its_fits_cost(plan):
    expectations = Expectations(plan, MachineRates())
    wildcards = {"experiment": "adult_cluster", "block": "0"}
    one = expectations.of("measure_blind", wildcards).seconds
    assert one > 2 * expectations.of("measure_accuracy", wildcards).seconds
    assert expectations.of("measure_blind", {"experiment": "adult_canaries", "block": "0"}).seconds < one


def test_rates_are_kept_for_the_machine_that_they_were_measured_on(tmp_path, monkeypatch):
    monkeypatch.setattr("platform.node", lambda: "here")
    path = tmp_path / "rates.json"
    assert MachineRates.read(path) == MachineRates()
    MachineRates("here", 3.0, 1.5, {"a": 0.1}).write(path)
    assert MachineRates.read(path) == MachineRates("here", 3.0, 1.5, {"a": 0.1})
    monkeypatch.setattr("platform.node", lambda: "there")
    assert MachineRates.read(path) == MachineRates()


@pytest.mark.parametrize(
    "changed", [{"start": "x"}, {"speed": None}, {"speed": -1}, {"speed": 10**400}, {"steps": []}, {"steps": {"a": {}}}]
)
def test_rates_that_no_clock_measures_are_refused(tmp_path, changed):
    path = tmp_path / "rates.json"
    path.write_text(json.dumps(MachineRates().plain() | changed))
    with pytest.raises(DataError, match="it is not what was written"):
        MachineRates.read(path)


def test_a_file_of_ones_own_counts_with_its_size(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{'north' if i % 2 else 'south'},{i},{'abc'[i % 3]},{i % 2}" for i in range(4000)]
    (tmp_path / "clinic.csv").write_text("\n".join(["site,age,code,label", *rows]))
    settings = {
        "paper": "audit",
        "defaults": {
            "dataset": {"path": "clinic.csv", "label": "label", "group": "site"},
            "membership": {"kind": "iid", "members": 0.25, "nonmembers": 0.25},
            "arms": {"iid": {}},
            "iid_arms": False,
            "epsilons": [[1]],
            "training": {"epochs": 3, "batch_size": 16},
            "attacks": {"average_threshold": {}},
            "replicates": 4,
            "block": 4,
            "model": {"kind": "mlp", "hidden": [4]},
        },
        "experiments": {"clinic": {}},
    }
    (tmp_path / "clinic.yaml").write_text(yaml.safe_dump(settings))
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
    plan = make_plan(config | {"scale": "laptop", "experiments": ["clinic.yaml"]}, tmp_path)
    expectations, wildcards = (
        Expectations(plan, MachineRates()),
        {"experiment": "clinic", "epsilons": "1", "block": "0"},
    )
    (trained,) = expectations.trained("train_block", wildcards)
    assert (trained.records, trained.queries, trained.data) == (1000, 2000, (4, 2, 0))  # age, and three codes
    prepared = jobs.dataset_id(plan.experiments["clinic"])
    most, least = (expectations.of("prepare_dataset", {"prepared": name}).memory for name in (prepared, "other"))
    assert most - least == pytest.approx(4000 * 4 * 4 * 30 / 1e6)


def test_a_job_holds_its_data_set_and_images_as_floats():
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
    plan = make_plan(config | {"data": "real", "scale": "paper", "data_mirror": None}, REPOSITORY)
    expectations, pixels = Expectations(plan, MachineRates()), 630420 * 3072 / 1e6
    checked = expectations.of("check_engines", {"file": "thudi"}).memory
    assert checked > 6 * pixels > expectations.of("check_engines", {"file": "humphries"}).memory
    splits = expectations.of("draw_splits", {"experiment": "thudi_svhn", "block": "0"}).memory
    assert splits > 2 * pixels


def test_short_jobs_are_expected_by_the_names_of_their_scripts():
    assert {*_SHORT} <= {path.stem for path in (REPOSITORY / "scripts").glob("*.py")}


def test_reference_models_are_evaluated_on_the_records_of_all_target_models(plan):
    work = ExperimentWork.of(plan.experiments["thudi_mnist"])
    of_one = work.sizes["p0.5"].attacked + work.sizes["p0.5"].population
    targets = len(work.sizes) * work.experiment.replicates
    (trained, *_) = work.trained("train_references", {"epsilons": "3", "block": "0"})
    assert of_one < trained.queries == min(70000, of_one * targets)


def test_jobs_that_train_are_rules():
    rules = (REPOSITORY / "rules/train.smk").read_text()
    assert [line.split()[1].rstrip(":") for line in rules.splitlines() if line.startswith("rule ")] == sorted(
        TRAINING, key=lambda kind: rules.index(f"rule {kind}:")
    )


def test_a_fork_starts_at_once_and_works_as_long(plan):
    expected = Expectations(plan, MachineRates()).of("train_block", wildcards_of(plan, "train_block", "student"))
    fork = expected.as_fork()
    assert (fork.start, fork.work, fork.memory) == (FORK, expected.work, expected.memory)
    assert expected.seconds - fork.seconds == pytest.approx(MachineRates().start - FORK)
    assert fork.as_fork() == fork
