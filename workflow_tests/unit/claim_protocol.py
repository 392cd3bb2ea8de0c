"""What is tested of the claims of every paper, in a world in which they hold.

A class of tests takes `EachClaim`, or `EachMean` where claims are about means over replicates. It says which claims, in
which world, and what is otherwise where one does not hold.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from claim_worlds import World, assert_by_replicate, verdict, with_impossible

from dpmia.claims.claim import Claim


class EachClaim(ABC):
    """Each claim holds in a world, and falls where one thing is otherwise."""

    #: Those that are tested.
    claims: ClassVar[Sequence[Claim]]
    #: In which all of them hold.
    world: ClassVar[World]
    #: How its tables are written, see `World.write`.
    options: ClassVar[dict[str, Any]] = {}

    @abstractmethod
    def otherwise(self, name: str) -> World:
        """Return the world in which a claim does not hold; `KeyError` where none is written down."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test on each claim."""
        if "claim" in metafunc.fixturenames:
            metafunc.parametrize("claim", self.claims, ids=[claim.id for claim in self.claims])

    def test_it_holds_where_the_paper_is_right(self, claim: Claim, tmp_path: Path) -> None:
        assert verdict(claim, self.world, tmp_path, **self.options) == "reproduced"

    def test_it_falls_where_one_thing_is_otherwise(self, claim: Claim, tmp_path: Path) -> None:
        assert verdict(claim, self.otherwise(claim.id), tmp_path, **self.options) == "not reproduced"

    @pytest.mark.slow
    def test_every_comparison_of_its_criterion_is_performed(self, claim: Claim, tmp_path: Path) -> None:
        for impossible in with_impossible(claim):
            assert verdict(impossible, self.world, tmp_path, **self.options) == "not reproduced", impossible.criterion


class EachMean(EachClaim):
    """The same of claims about means over replicates, which one replicate leaves undecided, and so does much noise."""

    #: The same with one replicate, and with noise, where `World.write` makes neither.
    of_one: ClassVar[World | None] = None
    noisy: ClassVar[World | None] = None
    #: Claims that noise decides: about something that large scatter makes large.
    not_blurred: ClassVar[frozenset[str]] = frozenset()

    def test_one_replicate_leaves_it_undecided(self, claim: Claim, tmp_path: Path) -> None:
        assert verdict(claim, self.of_one or self.world, tmp_path, replicates=1) == "undecided"

    def test_noise_leaves_it_undecided(self, claim: Claim, tmp_path: Path) -> None:
        outcome = verdict(claim, self.noisy or self.world, tmp_path, **self.options | {"noise": 3.0})
        assert (outcome == "undecided") == (claim.id not in self.not_blurred)

    @pytest.mark.slow
    def test_what_is_measured_of_a_replicate_rests_on_it_alone(self, claim: Claim) -> None:
        assert_by_replicate(claim, self.noisy or self.world)
