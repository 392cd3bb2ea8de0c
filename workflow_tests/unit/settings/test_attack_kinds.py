"""The registry of attacks: options, needs, and that each can be made from its job."""

import inspect

import pytest
from settings_samples import RICH, experiment

from dpmia.common.registry import load
from dpmia.planning import jobs
from dpmia.settings import names
from dpmia.settings.attackers import MODELS_OF_ATTACKERS, AttackSettings

#: Keys of every attack, and of those that are not built in.
OTHERS = {"kind", "reference_arm", "epsilons", "arguments"}


@pytest.mark.parametrize(("name", "kind"), names.ATTACKS.items())
def test_a_kind_of_attack_takes_its_options_and_states_what_it_needs(name, kind):
    attack = load(kind.spec)
    assert attack.uses == kind.uses
    for flag in ("each_side", "both_sides", "per_record", "needs_classes", "even_counts"):
        assert getattr(attack, flag) == getattr(kind, flag), flag
    assert not (attack.oracle and kind.by_default), "an oracle is no attack"
    taken = inspect.signature(attack).parameters
    assert set(kind.options) <= set(taken) & set(AttackSettings.model_fields)
    # Every option of the settings that the class knows may be set.
    assert set(taken) & (set(AttackSettings.model_fields) - OTHERS) == set(kind.options)


def test_oracles_controls_and_attacks_for_the_papers_run_by_name_only():
    assert names.BY_NAME_ONLY == ("bounded_loss", "collusion", "optimal_threshold", "random")


def test_every_option_belongs_to_an_attack_and_every_need_is_met():
    options = set(AttackSettings.model_fields) - OTHERS
    assert options == {option for kind in names.ATTACKS.values() for option in kind.options}
    needs = {need for kind in names.ATTACKS.values() for need in kind.uses}
    assert needs <= {*MODELS_OF_ATTACKERS, "population", "features", "collusion"}


@pytest.mark.parametrize("kind", names.ATTACKS)
def test_every_attack_can_be_made_as_its_job_says(kind):
    colluding = {"collusion": {"keys": 2}, "epsilons": [["inf"]], "blind": None}
    given = experiment(
        RICH | {"attacks": {"mine": {"kind": kind}}} | (colluding if "collusion" in names.ATTACKS[kind].uses else {})
    )
    job = jobs.attack_job(given, "mine")
    assert type(job.make()) is load(names.ATTACKS[kind].spec)
