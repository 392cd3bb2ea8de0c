"""Jobs: what each is told, what changes them, and what does not."""

import inspect
import json
import math
from dataclasses import replace

import pytest
from settings_samples import ADULT, BASES, BERNOULLI, BIAS, HEART, IID, RICH, experiment

from dpmia.common.errors import ConfigError
from dpmia.common.plain import to_plain
from dpmia.common.registry import load
from dpmia.common.seeds import derive_seed
from dpmia.jobs.attacking import BlindJob
from dpmia.jobs.drawing import Canaries, PrepareJob
from dpmia.planning import jobs, reference_jobs
from dpmia.settings import names

#: An experiment with every kind of model and attack.


def all_jobs(given):
    """Return every job of an experiment by kind, attack or arm, group of epsilons, and block."""
    by_key = {("prepare",): (jobs.dataset_id(given), jobs.prepare_job(given))}
    if given.membership.kind == "cluster":
        by_key["cluster",] = jobs.cluster_job(given)
    for block in jobs.blocks(given):
        by_key["split", block] = jobs.split_job(given, block)
        by_key["blind", block] = jobs.blind_job(given, block)
        if given.shadows:
            by_key["shadow", block] = jobs.shadow_job(given, block)
        for group in given.epsilons:
            by_key["train", tuple(group), block] = jobs.train_job(given, group, block)
    for attack in given.attacks:
        by_key["attack", attack] = jobs.attack_job(given, attack), reference_jobs.arms(given, attack)
    for block in reference_jobs.blocks(given) if given.references else ():
        by_key["distilled", block] = jobs.distilled_job(given, block)
        for group in reference_jobs.groups(given):
            by_key["reference", tuple(group), block] = reference_jobs.job(given, group, block)
    return by_key


def kinds_that_differ(one, other):
    one, other = all_jobs(one), all_jobs(other)
    return {key[0] for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


TRAINING = {"train", "shadow", "reference", "distilled"}
DRAWN = TRAINING | {"split"}


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"attacks": RICH["attacks"] | {"average_threshold": {}}}, {"attack"}),
        ({"attacks__lira__variance": "per_point"}, {"attack"}),
        ({"attacks__lira__reference_arm": None}, {"attack", "reference"}),
        ({"attacks__population__alpha": 0.2}, {"attack"}),
        ({"attacks__random__epsilons": [1]}, {"attack"}),
        ({"details": True}, {"attack"}),
        ({"blind__replicates": 1}, {"blind"}),
        ({"blind__with_loss": [1]}, {"blind"}),
        ({"training__learning_rate": 0.5}, TRAINING),
        ({"training__epochs": 3}, TRAINING),
        ({"training__batch_size": 3}, DRAWN),  # splits are checked for batches that fit
        ({"training__engine": "opacus"}, TRAINING),
        ({"model__hidden": [3]}, TRAINING),
        ({"arms__cluster__model": {"hidden": [3]}}, TRAINING),
        ({"privacy__delta": 1e-6}, {"train", "reference"}),
        ({"privacy__relation": "add_remove"}, {"train", "reference"}),
        ({"shadows__count": 4}, {"shadow"}),
        ({"shadows__l2": 0.5}, {"shadow"}),
        ({"shadows__attack_epochs": 8}, {"attack"}),
        ({"references__count": 9}, {"reference", "distilled"}),
        ({"references__private": True}, {"reference"}),
        ({"membership__members": 50}, DRAWN),
        ({"membership__pairing": "nearest"}, DRAWN | {"cluster"}),
        ({"membership__cluster_seed": 1}, DRAWN | {"cluster"}),
        ({"arms": {"cluster": {"group": "1"}}}, DRAWN),
        ({"iid_arms": False}, DRAWN),
        ({"block": 1}, {"split", "train", "shadow", "blind"}),
        ({"attributes": ["sex"]}, {"prepare"}),
    ],
)
def test_a_changed_key_changes_only_the_jobs_it_belongs_to(changes, kinds):
    assert kinds_that_differ(experiment(RICH), experiment(RICH, **changes)) == kinds


@pytest.mark.parametrize(
    ("attack", "asks"), [("population", "population"), ("distillation", "parameters"), ("lira", None), ("random", None)]
)
def test_targets_tell_what_an_attack_of_theirs_needs_and_no_more(attack, asks):
    given = experiment(references={"count": 4, "block": 4}, attacks={attack: {}})
    job = jobs.train_job(given, [1.0], 0)
    assert {key for key in ("population", "parameters") if getattr(job, key)} == ({asks} if asks else set())
    assert reference_jobs.job(given, [math.inf], 0).population == job.population


def test_more_replicates_leave_the_earlier_jobs_as_they_are():
    few, many = all_jobs(experiment(RICH)), all_jobs(experiment(RICH, replicates=8))
    assert few.items() <= many.items()
    assert {key[-1] for key in many.keys() - few.keys()} == {2, 3}


def test_more_reference_models_leave_the_earlier_jobs_as_they_are():
    few, many = all_jobs(experiment(RICH)), all_jobs(experiment(RICH, references__count=12))
    assert few.items() <= many.items()
    assert {(key[0], key[-1]) for key in many.keys() - few.keys()} == {
        (kind, block) for kind in ("reference", "distilled") for block in (2, 3)
    }


def test_a_new_group_of_epsilons_leaves_the_others_as_they_are():
    few, many = all_jobs(experiment(RICH)), all_jobs(experiment(RICH, epsilons=[[10, 100], [0.1, 1], ["inf"]]))
    assert few.items() <= many.items()
    assert {key[1] for key in many.keys() - few.keys()} == {(10.0, 100.0)}


def test_blocks_cut_the_replicates_without_rest():
    assert jobs.blocks(experiment(replicates=6, block=2)) == {0: [0, 1], 1: [2, 3], 2: [4, 5]}
    assert jobs.blocks(experiment(replicates=3, block=3)) == {0: [0, 1, 2]}


def test_blocks_of_reference_models_cut_them_without_rest():
    given = experiment(RICH)
    numbers = [reference_jobs.job(given, [math.inf], block).numbers for block in (0, 1)]
    assert numbers == [[0, 1, 2], [3, 4, 5]] == [jobs.distilled_job(given, block).numbers for block in (0, 1)]
    assert list(reference_jobs.blocks(given)) == [0, 1]


def test_the_blind_baseline_is_measured_on_the_first_replicates():
    given = experiment(RICH)  # 3 of 4 replicates, in blocks of 2
    assert jobs.blind_job(given, 0) == BlindJob([0, 1], ["1", "inf"])
    assert jobs.blind_job(given, 1).replicates == [2]
    assert jobs.blind_job(experiment(RICH, blind__replicates=2), 1) is None
    assert jobs.blind_job(experiment(RICH, blind__replicates="all"), 1).replicates == [2, 3]
    assert jobs.blind_job(experiment(), 0) is None


def test_reference_models_are_trained_like_their_targets_unless_settings_say_otherwise():
    given = experiment(references={"count": 4, "block": 4}, attacks={"lira": {}})
    assert reference_jobs.groups(given) == given.epsilons == [[0.1, 1], [math.inf]]
    epsilons = [reference_jobs.job(given, group, 0).epsilons for group in given.epsilons]
    assert epsilons == [{"va-iid": [0.1, 1.0]}, {"va-iid": [math.inf]}]
    plain = experiment(references={"count": 4, "block": 4, "private": False}, attacks={"lira": {}})
    assert reference_jobs.groups(plain) == [[math.inf]]


def test_an_attack_on_some_epsilons_needs_the_models_of_their_groups_only():
    given = experiment(RICH, references__private=True, attacks__lira={"epsilons": [1]})
    assert jobs.attack_job(given, "lira").epsilons == ["1"]
    assert jobs.attacked_groups(given, "lira") == reference_jobs.groups(given, "lira") == [[0.1, 1]]
    assert jobs.attack_job(given, "random").epsilons is None
    assert jobs.attacked_groups(given, "random") == reference_jobs.groups(given, "random") == [[0.1, 1], [math.inf]]
    public = experiment(RICH, attacks__lira={"epsilons": [1]})
    assert reference_jobs.groups(public, "lira") == [[math.inf]]


def test_reference_models_are_trained_of_the_arms_that_attacks_need():
    given = experiment(RICH)
    assert reference_jobs.arms(given, "lira") == ["cluster"]
    assert reference_jobs.arms(experiment(RICH, attacks__lira={}), "lira") == ["cluster-iid"]
    assert reference_jobs.arms(given, "random") == reference_jobs.arms(given, "distillation") == []


def test_reference_models_are_evaluated_on_queries_of_the_targets_that_they_are_used_on():
    both = ["cluster", "cluster-iid"]
    of_one = reference_jobs.job(experiment(RICH), [math.inf], 0)
    assert (list(of_one.arms), of_one.queried_by) == (["cluster"], {"cluster": both})
    assert set(of_one.recipes) == set(of_one.models) == {"cluster"}
    own = reference_jobs.job(experiment(RICH, attacks__lira={}), [math.inf], 0)
    assert (list(own.arms), own.queried_by) == (["cluster-iid"], {"cluster-iid": both})


def test_reference_models_of_an_arm_are_trained_with_the_epsilons_that_attacks_need():
    some = {"kind": "lira", "epsilons": [1]}
    given = experiment(RICH, references__private=True, attacks__some=some)  # lira itself takes those of one arm
    assert [reference_jobs.job(given, group, 0).epsilons for group in given.epsilons] == [
        {"cluster": [0.1, 1.0], "cluster-iid": [1.0]},
        {"cluster": [math.inf]},
    ]
    # Models of all groups stand in one table, so they are asked about the same records.
    assert [reference_jobs.job(given, group, 0).queried_by["cluster"] for group in given.epsilons] == [
        ["cluster", "cluster-iid"],
        ["cluster", "cluster-iid"],
    ]
    public = experiment(RICH, attacks__some=some)
    assert reference_jobs.job(public, [math.inf], 0).epsilons == {
        "cluster": [math.inf],
        "cluster-iid": [math.inf],
    }


def test_shadow_models_have_their_own_penalty_and_the_rest_of_the_recipe():
    given = experiment(RICH, training__epochs=3)
    shadow, target = jobs.shadow_job(given, 1), jobs.train_job(given, [1.0], 1)
    assert shadow.recipes == {arm: replace(recipe, l2=0.25) for arm, recipe in target.recipes.items()}
    assert (shadow.replicates, shadow.arms, shadow.models) == ([2, 3], target.arms, target.models)
    assert jobs.attack_job(given, "shadow").options == {"epochs": 7}


def test_an_arm_may_be_trained_with_some_of_the_epsilons_only():
    arms = {"few": {"group": "va", "epsilons": [1, "inf"]}, "all": {"group": "va"}}
    given = experiment(arms=arms, references={"count": 4, "block": 4, "private": True})
    job = jobs.train_job(given, [0.1, 1.0], 0)
    assert job.epsilons == {"few": [1.0], "few-iid": [1.0], "all": [0.1, 1.0], "all-iid": [0.1, 1.0]}
    # What is drawn and which models help are the same: the same seeds, and models for every attack.
    assert job.arms == jobs.arms(experiment(arms={name: {"group": "va"} for name in arms}))
    needed = {"few-iid": [1.0], "all-iid": [0.1, 1.0]}
    given = experiment(arms=arms, references={"count": 4, "block": 4, "private": True}, attacks={"lira": {}})
    assert reference_jobs.job(given, [0.1, 1.0], 0).epsilons == needed


def test_an_arm_may_have_a_model_of_its_own():
    arms = {"small": {"group": "va", "model": {"hidden": [3]}}, "usual": {"group": "va"}}
    models = jobs.models(experiment(arms=arms))
    assert list(models) == ["small", "small-iid", "usual", "usual-iid"]
    assert [model.shape["hidden"] for model in models.values()] == [[3], [3], [256, 256], [256, 256]]
    assert {model.build for model in models.values()} == {names.MODELS["mlp"]}
    given = experiment(arms=arms, references={"count": 4, "block": 4}, attacks={"lira": {}})
    assert reference_jobs.job(given, [math.inf], 0).models == {arm: models[arm] for arm in ("small-iid", "usual-iid")}


def test_arms_that_differ_in_their_models_alone_draw_the_same():
    arms = jobs.arms(experiment(arms={"small": {"group": "va", "model": {"hidden": [3]}}, "usual": {"group": "va"}}))
    assert arms["small"] == arms["usual"]


def test_a_renamed_arm_means_the_same():
    arms, renamed = (jobs.arms(experiment(arms={name: {"group": "va"}})) for name in ("va", "long_beach"))
    assert list(arms) == ["va", "va-iid"]
    assert list(renamed) == ["long_beach", "long_beach-iid"]
    assert list(arms.values()) == list(renamed.values())
    for one, other in zip(arms.values(), renamed.values(), strict=True):
        assert derive_seed(1, one.plain()) == derive_seed(1, other.plain())


def test_an_arm_and_its_iid_arm_mean_the_same_but_for_the_shuffling():
    arms = jobs.arms(experiment())
    assert replace(arms["va"], iid=True) == arms["va-iid"]
    assert arms["va"].iid is False
    assert list(jobs.arms(experiment(iid_arms=False))) == ["va"]


@pytest.mark.parametrize(
    ("base", "draw"),
    [
        (HEART, {"members": "all", "nonmembers": "all", "group": "va"}),
        (ADULT, {"members": 100, "nonmembers": 100, "group": "0"}),
        (IID, {"members": 9, "nonmembers": 9}),
        (BIAS, {"members": 40, "nonmembers": 20, "validation": 10, "group": "Male", "share": 0.25}),
        (BERNOULLI, {"records": 100, "queries": 50, "rate": 0.1}),
    ],
)
def test_what_is_drawn_are_arguments_of_the_drawing_function(base, draw):
    given = experiment(base)
    arm = next(iter(jobs.arms(given).values()))
    assert arm.draw == draw
    inspect.signature(load(jobs.split_job(given, 0).draw)).bind("groups", "rng", **draw)


def test_groups_are_made_by_attribute_clusters_or_merged_values():
    merge = {"low": ["9th"], "high": ["Masters"]}
    assert jobs.arms(experiment())["va"].groups == "hospital"
    assert jobs.arms(experiment(ADULT))["cluster"].groups == jobs.cluster_job(experiment(ADULT)).plain()
    merged = experiment(BIAS, membership__merge=merge)
    assert jobs.arms(merged)["p25"].groups == {"by": "sex", "merge": merge}
    assert jobs.arms(experiment(IID))["any"].groups is None


def test_an_experiments_name_is_in_no_job(plan):
    experiments = plan({"paper": "someone", "experiments": {"one": RICH, "other": RICH}}).experiments
    assert all_jobs(experiments["one"]) == all_jobs(experiments["other"])


@pytest.mark.parametrize("base", [*BASES.values(), RICH])
def test_jobs_are_plain_data(base):
    finite = {"epsilons": [[1]]} | ({"references__private": True} if "references" in base else {})
    finite |= {"blind__with_loss": [1]} if "with_loss" in base.get("blind", {}) else {}
    for key, job in all_jobs(experiment(base, **finite)).items():
        reported = to_plain(job)
        assert json.loads(json.dumps(reported, allow_nan=False)) == reported, key


def test_experiments_that_cluster_alike_share_their_clusters():
    name = jobs.cluster_id(experiment(ADULT))
    for same in ({"membership__members": 7}, {"training__epochs": 3}, {"arms": {"cluster": {"group": "1"}}}):
        assert jobs.cluster_id(experiment(ADULT, **same)) == name
    for other in (
        *({"membership__pairing": "nearest"}, {"membership__cluster_seed": 1}, {"membership__restarts": 1}),
        *({"membership__clusters": 3}, {"attributes": ["sex"]}, {"dataset": "compas"}),
    ):
        assert jobs.cluster_id(experiment(ADULT, **other)) != name


@pytest.mark.parametrize(
    ("engine", "kind", "plain"),
    [("opacus", "mlp", "plain"), ("stacked", "mlp", "stacked"), ("convolution", "vgg", "convolution")],
)
def test_models_without_privacy_are_trained_without_opacus(engine, kind, plain):
    model = {"kind": kind} | ({"hidden": [3]} if kind == "mlp" else {})
    engines = jobs.engines(experiment(training__engine=engine, model=model))
    assert (engines.private, engines.nonprivate) == (names.ENGINES[engine].private, names.ENGINES[plain].private)


def test_engines_are_checked_where_target_models_are_private():
    assert jobs.has_private_targets(experiment(epsilons=[["inf"], [1]]))
    assert not jobs.has_private_targets(experiment(epsilons=[["inf"]]))
    work = [jobs.engine_check(experiment(), scale, "x", "y", []).work for scale in ("smoke", "laptop", "paper")]
    assert work == sorted(work)
    assert jobs.engine_check(experiment(), "smoke", "x", "y", []).engine == names.ENGINES["stacked"].private


def test_the_recipe_of_a_job_holds_the_gradient_mode_of_opacus():
    opacus = experiment(training__engine="opacus", training__grad_sample_mode="hooks")
    assert {recipe.grad_sample_mode for recipe in jobs.recipes(opacus).values()} == {"hooks"}


#: Attacks are looked at record by record, attack L among them.
LOOKED_AT = IID | {
    "epsilons": [["inf"]],
    "references": {"count": 6, "block": 3},
    "attacks": {"random": {}, "reference": {"estimator": "mean"}, "lira": {}},
    "per_record": {"count": 8, "alphas": [0.1], "leave_one_out": {"records": 4, "block": 2, "models": 3, "targets": 2}},
}


@pytest.mark.parametrize("name", ["model", "blind", "blind_with_loss"])
def test_rows_of_tables_that_are_no_attacks_name_none(name):
    with pytest.raises(ConfigError, match=f"'{name}' cannot name an attack: tables have rows of that name"):
        experiment(attacks={name: {"kind": "average_threshold"}})


def test_leave_one_out_models_know_the_attacked_members_only():
    half = {"membership": {"kind": "bernoulli", "records": 400, "queries": 40}, "arms": {"half": {"rate": 0.5}}}
    message = (
        "per_record.leave_one_out cannot be combined with membership.kind 'bernoulli': targets are trained on more"
    )
    with pytest.raises(ConfigError, match=message):
        experiment(LOOKED_AT | half)


def test_attacks_with_a_threshold_are_looked_at_record_by_record():
    job = jobs.per_record_job(experiment(LOOKED_AT))
    assert list(job.attacks) == ["reference", jobs.LEAVE_ONE_OUT]
    assert (job.count, job.alphas) == (8, [0.1])
    made = {name: attack.make() for name, attack in job.attacks.items()}
    assert made["reference"].estimator != made[jobs.LEAVE_ONE_OUT].estimator
    assert "leave_one_out" in made[jobs.LEAVE_ONE_OUT].uses
    assert list(jobs.per_record_job(experiment(LOOKED_AT, per_record__leave_one_out=None)).attacks) == ["reference"]
    assert json.loads(json.dumps(job.plain())) == job.plain()


def test_more_points_or_targets_add_models_without_a_record_and_leave_the_others():
    def reported(**changes):
        given = experiment(LOOKED_AT, **changes)
        return {place: jobs.leave_one_out_job(given, *place) for place in jobs.leave_one_out_blocks(given)}

    few = reported()
    (arm,) = LOOKED_AT["arms"]
    assert list(few) == [(arm, 0, 0), (arm, 0, 1), (arm, 1, 0), (arm, 1, 1)]
    assert [(job.first, job.last) for job in few.values()] == [(0, 2), (2, 4)] * 2
    assert few.items() < reported(per_record__leave_one_out__records=8).items()
    assert few.items() < reported(per_record__leave_one_out__targets=3).items()
    assert few == reported(per_record__count=100, per_record__alphas=[0.3])
    assert reported(per_record__leave_one_out=None) == {}


def test_some_arms_may_be_looked_at_and_models_without_a_record_be_trained_for_fewer():
    arms = {"a": {}, "b": {"training": {"epochs": 7}}, "c": {}}
    assert jobs.per_record_job(experiment(LOOKED_AT, arms=arms)).arms == ["a", "b", "c"]
    some = experiment(LOOKED_AT, arms=arms, per_record__arms=["a", "b"], per_record__leave_one_out__arms=["b"])
    assert jobs.per_record_job(some).arms == ["a", "b"]
    assert {arm for arm, _, _ in jobs.leave_one_out_blocks(some)} == {"b"}
    assert jobs.leave_one_out_job(some, "b", 0, 0).recipe.epochs == 7
    every = experiment(LOOKED_AT, arms=arms, per_record__arms=["a", "b"])
    assert {arm for arm, _, _ in jobs.leave_one_out_blocks(every)} == {"a", "b"}


def test_looking_at_single_records_changes_no_other_job():
    assert all_jobs(experiment(LOOKED_AT)) == all_jobs(experiment(LOOKED_AT, per_record=None))


def test_the_name_of_a_data_set_does_not_depend_on_the_order_of_attributes():
    assert jobs.dataset_id(experiment()) == "heart"
    orders = (["sex", "age"], ["age", "sex"])
    assert {jobs.dataset_id(experiment(ADULT, attributes=order)) for order in orders} == {"adult-age-sex"}
    assert {str(jobs.prepare_job(experiment(ADULT, attributes=order))) for order in orders} == {
        str(PrepareJob("dpmia.datasets.published.adult", {"attributes": ["age", "sex"]}))
    }


def test_canaries_are_in_a_data_set_of_their_own():
    joining = {"kind": "bernoulli", "records": 300, "queries": 20}
    settings = {"arms": {"half": {"rate": 0.5}}, "iid_arms": False}
    plain = experiment(membership=joining, **settings)
    planted = experiment(membership=joining | {"canaries": ["outlier", "mislabelled"]}, **settings)
    assert (jobs.dataset_id(plain), jobs.prepare_job(plain).canaries) == ("heart", None)
    assert jobs.dataset_id(planted) == "heart-20-outlier-mislabelled"
    job = jobs.prepare_job(planted)
    assert job.canaries == Canaries(20, ["outlier", "mislabelled"])
    assert PrepareJob.from_plain(job.plain()) == job
    assert jobs.arms(plain) == jobs.arms(planted), "splits follow from the data, not from the key"


def test_pooled_images_are_a_data_set_of_their_own():
    assert jobs.dataset_id(experiment(dataset="mnist", pool=2)) == "mnist-2x2"
    assert jobs.prepare_job(experiment(dataset="mnist", pool=2)).options == {"attributes": [], "pool": 2}
