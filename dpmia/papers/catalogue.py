"""All artifacts of all papers. Light: it is read whenever the workflow is."""

from __future__ import annotations

from dpmia.papers.artifact import Artifact
from dpmia.papers.humphries import artifacts as humphries

PAPERS: dict[str, tuple[Artifact, ...]] = {
    "humphries": humphries.ARTIFACTS,
}
