"""A training takes all its steps, or ends in an error: code of the user's own cannot end it without a word."""

import pytest
from tiny_training import make, make_data

from dpmia.training import lightning
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.lightning import fit


@pytest.fixture(scope="module")
def data():
    return make_data()


@pytest.mark.parametrize("place", ["network", "optimiser"])
@pytest.mark.parametrize("done", [0, 7, 54])
def test_a_stop_of_the_users_code_is_no_end_of_training(place, done, data, monkeypatch):
    monkeypatch.setattr(lightning, "MOST_STEPS_PER_CALL", 2)
    engine = make(StackedEngine, data)
    owner, name = (engine, "backward") if place == "network" else (engine.optimiser, "step")
    function = getattr(owner, name)

    def stopping(*args, **kwargs):
        if engine.done >= done:
            raise StopIteration
        return function(*args, **kwargs)

    monkeypatch.setattr(owner, name, stopping)
    with pytest.raises(RuntimeError, match="StopIteration in training") as failed:
        fit(engine)
    assert any(entry.name == "stopping" for entry in failed.traceback)


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_stays_what_it_is_and_so_does_an_exit_of_the_users_code(end, data, monkeypatch):
    """Lightning makes an exit of the first, which would be reported as one of the user's code."""
    engine = make(StackedEngine, data)

    def ending(batches):
        raise end

    monkeypatch.setattr(engine, "backward", ending)
    with pytest.raises(end):
        fit(engine)


def test_a_measurement_that_stops_is_no_end_of_training(data):
    def stopping(engine):
        raise StopIteration

    with pytest.raises(RuntimeError, match="StopIteration in training"):
        fit(make(StackedEngine, data), after_epoch=stopping)


def test_a_training_that_ends_early_is_an_error(data, monkeypatch):
    monkeypatch.setattr(lightning.EpochBatches, "__iter__", lambda self: iter(()))
    with pytest.raises(RuntimeError, match="training ended after 0 of 55 steps"):
        fit(make(StackedEngine, data))
