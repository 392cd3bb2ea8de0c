"""Scheetz et al. 2006: 120 rats; how active is one gene of the eye (TRIM32), predicted from 200 others?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.common.errors import DataError
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.published.regression import prepared, standardised
from dpmia.datasets.raw.parsing import Layout, Number, read_table
from dpmia.formats.provenance import Provenance

FILE = "eyedata.csv"
RESPONSE = "y"

#: Numbers of the 200 probes on the microarray, in the file's order.
PROBES = tuple(
    str(number) for number in (
        1377, 1748, 2487, 2679, 2789, 2875, 3244, 3375, 3732, 5892, 6222, 6242, 6247, 6359, 6690, 7069, 7261, 7941,
        8675, 8835, 9061, 9096, 9187, 9303, 9340, 9972, 10144, 10196, 10326, 10438, 10540, 10693, 10780, 11024, 11421,
        11609, 11711, 11719, 11928, 11995, 12081, 12085, 12205, 12813, 12997, 13092, 13629, 13858, 13901, 14046, 14461,
        14631, 14903, 14949, 15224, 15289, 15368, 15636, 15752, 15787, 15850, 15863, 15940, 16014, 16313, 16541, 16569,
        16801, 16924, 16964, 16984, 16988, 17200, 17270, 17436, 17599, 17645, 17723, 17803, 17816, 17986, 18062, 18283,
        18389, 18405, 19331, 21092, 21094, 21469, 21550, 21564, 21680, 21701, 21791, 21864, 21907, 21978, 22016, 22029,
        22043, 22110, 22140, 22200, 22277, 22304, 22423, 22640, 22694, 22731, 22813, 22869, 22896, 22935, 22938, 22978,
        22980, 23006, 23041, 23050, 23110, 23161, 23206, 23288, 23348, 23404, 23618, 23804, 23805, 23877, 23942, 24087,
        24198, 24225, 24245, 24282, 24353, 24396, 24413, 24422, 24565, 24597, 24618, 24653, 24783, 24857, 24892, 24901,
        25000, 25014, 25055, 25105, 25109, 25141, 25281, 25367, 25403, 25425, 25439, 25443, 25852, 25903, 25909, 26369,
        26672, 26696, 26712, 26725, 26738, 26809, 26868, 26932, 27179, 27244, 27354, 27408, 28164, 28306, 28343, 28383,
        28680, 28738, 28891, 28899, 28964, 28967, 28983, 29041, 29045, 29566, 29665, 29773, 29842, 29896, 29912, 29984,
        30031, 30037, 30078, 30116, 30141,
    )
)  # fmt: skip

LAYOUT = Layout(columns=(*PROBES, RESPONSE), kinds={name: Number() for name in (*PROBES, RESPONSE)}, header=True)


def read(folder: Path) -> pd.DataFrame:
    """Parse the file: logarithms of expression levels.

    Raises:
        DataError: the file is absent, damaged or of another format.
    """
    return read_table(folder / FILE, LAYOUT)


def encode(frame: pd.DataFrame, attributes: Sequence[str] = ()) -> Dataset:
    """Return 200 features and the number to predict, each with mean 0 and variance 1 over all records.

    Raises:
        DataError: a column is constant.
    """
    constant = [name for name in frame if np.ptp(frame[name]) == 0]
    if constant:
        raise DataError(FILE, f"column {constant[0]!r} is constant and cannot be scaled to variance 1")
    scaled = pd.DataFrame(standardised(frame.to_numpy()), columns=frame.columns)
    table = scaled.drop(columns=RESPONSE)
    return prepared(
        "eyedata", table, scaled[RESPONSE].to_numpy(), attributes, frame.attrs.get("provenance", Provenance())
    )
