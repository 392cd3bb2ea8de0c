"""What Yeom et al. 2018 claim, and where one of our measurements must differ.

Studies fit models on random splits of one set of records. Splits overlap, so they are not independent, and intervals
over them say how sure the mean over splits is, not what other records would give. Where a claim speaks of several
models or sizes, all are judged together (`dpmia.claims.decisions.Every`, Bonferroni).
"""

from __future__ import annotations

from dpmia.papers.yeom.claims import fig2, fig3, fig4, table1, theorems

CLAIMS = (*theorems.CLAIMS, *fig2.CLAIMS, *table1.CLAIMS, *fig3.CLAIMS, *fig4.CLAIMS)
