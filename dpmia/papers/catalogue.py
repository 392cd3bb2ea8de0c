"""All artifacts of all papers. Light: it is read whenever the workflow is."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.humphries import artifacts as humphries
from dpmia.papers.izzo import artifacts as izzo
from dpmia.papers.thudi import artifacts as thudi
from dpmia.papers.ye import artifacts as ye
from dpmia.papers.yeom import artifacts as yeom

PAPERS: dict[str, tuple[Artifact, ...]] = {
    "humphries": humphries.ARTIFACTS,
    "izzo": izzo.ARTIFACTS,
    "thudi": thudi.ARTIFACTS,
    "ye": ye.ARTIFACTS,
    "yeom": yeom.ARTIFACTS,
}
