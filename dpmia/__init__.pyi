from dpmia.api.attacking import attack as attack
from dpmia.api.auditing import audit_epsilon as audit_epsilon
from dpmia.api.bounding import bounds as bounds
from dpmia.api.bounding import upper_bound as upper_bound
from dpmia.api.planning import plan_noise as plan_noise
from dpmia.api.splitting import split as split
from dpmia.mip.estimator import MIPEstimator as MIPEstimator
from dpmia.mip.noise import privatise as privatise

__version__: str
__all__ = ["MIPEstimator", "attack", "audit_epsilon", "bounds", "plan_noise", "privatise", "split", "upper_bound"]
