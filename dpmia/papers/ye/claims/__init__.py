"""What Ye et al. 2022 claim about attacks from one hypothesis test.

Tables of AUCs have one value for each target model; attacks are compared on the same models. Of single records each is
one value: intervals are then over records, for the target models whose records were attacked.
"""

from __future__ import annotations

from dpmia.papers.ye.claims import models, records

CLAIMS = (*models.CLAIMS, *records.CLAIMS)
