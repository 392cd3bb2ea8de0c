"""Seeds of arms do not depend on what the arguments of drawing functions are called today."""

from dpmia.jobs.drawing import ArmDraw


def test_seeds_keep_the_first_name_of_an_argument():
    arm = ArmDraw("bernoulli", None, {"rate": 0.5, "queries": 40}, iid=False)
    assert arm.drawn_by == {"rate": 0.5, "asked": 40}
    assert arm.meaning() == {"kind": "bernoulli", "groups": None, "draw": {"rate": 0.5, "asked": 40}, "iid": False}
