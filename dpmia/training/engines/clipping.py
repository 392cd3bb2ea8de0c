"""How gradients of single records are clipped, the same way in all engines that clip by hand."""

from __future__ import annotations

import torch


def clip_factors(norms: torch.Tensor, clip_norm: float) -> torch.Tensor:
    """Return the factor min(1, C / norm) of each record, computed in place of `norms`.

    The 1e-6 is that of Opacus, so that both engines give the same numbers.
    """
    return norms.add_(1e-6).reciprocal_().mul_(clip_norm).clamp_(max=1)
