"""What Yeom et al. 2018 claim, and where one of our measurements must differ.

Studies fit models on random splits of one set of records. Splits overlap, so they are not independent, and intervals
over them show how certain the mean over splits is, not what other records would give. Where a claim compares several
models or sizes, all must hold (`dpmia.claims.decisions.Every`).
"""

from __future__ import annotations

from dpmia.papers.yeom.claims import networks, regression, theorems

CLAIMS = (*theorems.CLAIMS, *regression.CLAIMS, *networks.CLAIMS)
