"""Overfitted regression models: how much they reveal of their members, and of their members' hidden features.

Yeom et al. 2018, sections VI-B and VI-C. The standard deviations that the attacker knows come from all records:
sigma_S from the model fitted on them, sigma_D from cross-validation. Then models are fitted on random parts of the
records, attacked on all of them, and the attacks compared between members and the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, LeaveOneOut

from dpmia.attacks import attribute, gaussian_error
from dpmia.common.errors import ConfigError, TrainingError
from dpmia.common.registry import suggestion
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.formats.stages import REGRESSION
from dpmia.metrics.ranking import advantage
from dpmia.models.regressors import MODELS, Fit, Predictor

#: `cross_validation` that leaves out one record at a time.
LEAVE_ONE_OUT = "leave_one_out"
#: `target` of the attacks on membership.
MEMBERSHIP = "membership"


def run(
    *,
    seed: int,
    dataset: Dataset,
    model: str,
    parameters: Sequence[float],
    splits: int,
    test_fraction: float,
    cross_validation: str | int,
    targets: Sequence[str],
) -> pd.DataFrame:
    """Fit, attack and measure one kind of model at several strengths of regularisation.

    Args:
        seed: the user's seed.
        dataset: with a number to predict.
        model: a name in `dpmia.models.regressors.MODELS`.
        parameters: alphas or depths.
        splits: number of random splits into members and others; the same for all models and parameters.
        test_fraction: share of the records that are no members, rounded up to whole records.
        cross_validation: `leave_one_out`, or the number of parts that are left out in turn.
        targets: features whose values are inferred: `vkorc1` stands for the columns `vkorc1=CC`, `vkorc1=CT`, ...;
            the full name of a column of 0 and 1 stands for its two values.

    Returns:
        Columns `REGRESSION`, one row for each parameter, split, attack and target. `values` counts those of the target,
        `folds` the parts that cross-validation left out in turn. `sigma_s` and `sigma_d` are root mean squared
        errors, and `ratio` is theirs. Adversaries: `threshold` knows
        both, `threshold_sigma_s` only the first; `attribute`, `uniform`, `multi_query_descending` and
        `multi_query_ascending` infer the target, the last three by asking `threshold_sigma_s`.

    Raises:
        ConfigError: an option is out of range, or a target is not found.
        TrainingError: a model makes no error on the records it was fitted on, so that none can be judged by its size.
    """
    _check(dataset, model, parameters, splits, test_fraction)
    fit = MODELS[model]
    x, y = dataset.inputs(), dataset.y.astype(np.float64)
    columns = {target: target_columns(dataset.features, target) for target in targets}
    for target, places in columns.items():
        if len(places) == 1 and not np.isin(x[:, places], (0, 1)).all():
            problem = f"{target!r} is a number, and attributes are inferred from categories or 0 and 1 only"
            raise ConfigError("targets", problem, "Name a category")
    meaning = ("regression", dataset.fingerprint)

    tie_seed = derive_seed(seed, *meaning, "model", model, "all")
    sigma_s = _root_mean_square(y - fit(x, y, parameters, tie_seed)(x))
    if not sigma_s.all():
        where = f"{model} with parameter {parameters[int(np.argmin(sigma_s))]:g} on {dataset.name}"
        raise TrainingError(where, "the model has no error on any member", "Regularise more")
    folds = _folds(len(y), cross_validation, derive_seed(seed, *meaning, "folds"))
    sigma_d = _cross_validated(fit, x, y, parameters, folds, tie_seed)

    rows = []
    for replicate in range(splits):
        order = np.random.default_rng(derive_seed(seed, *meaning, "split", replicate)).permutation(len(y))
        is_member = np.ones(len(y), dtype=bool)
        is_member[order[: int(np.ceil(test_fraction * len(y)))]] = False
        predict = fit(x[is_member], y[is_member], parameters, derive_seed(seed, *meaning, "model", model, replicate))
        chance = np.random.default_rng(derive_seed(seed, *meaning, "uniform", model, replicate))

        errors = y - predict(x)
        hidden = {target: _errors_by_value(predict, x, y, places) for target, places in columns.items()}
        for place, parameter in enumerate(parameters):
            sigmas = sigma_s[place], sigma_d[place]
            entries = _membership(errors[place], sigmas, is_member)
            for target, places in columns.items():
                entries += _attributes(target, hidden[target][:, place], x, places, sigmas[0], is_member, chance)
            members, folded = int(is_member.sum()), folds.get_n_splits(x)
            sizes = [len(y), members, len(y) - members]
            prefix = [dataset.name, *sizes, model, parameter, folded, *sigmas, sigmas[1] / sigmas[0]]
            rows += [[*prefix, *key, replicate, *rates] for key, rates in entries]
    return pd.DataFrame(rows, columns=REGRESSION)


def target_columns(features: Sequence[str], target: str) -> np.ndarray:
    """Return the columns of a target: one for each of its values, or the single one of a target of 0 and 1.

    Args:
        features: names of all columns.
        target: the name of a category, or of a column.

    Raises:
        ConfigError: there is no such feature.
    """
    columns = [place for place, name in enumerate(features) if name == target or name.startswith(f"{target}=")]
    if not columns:
        names = dict.fromkeys(name for feature in features for name in (feature.partition("=")[0], feature))
        raise ConfigError("targets", f"{target!r} is not the name of a feature", suggestion(target, names))
    return np.array(columns)


def _membership(errors: np.ndarray, sigmas: tuple[float, float], is_member: np.ndarray) -> list:
    """Return (adversary, target, values) and (tpr, fpr, advantage) of the two threshold attacks."""
    sigma_s, sigma_d = sigmas
    decisions_by_attack = {
        "threshold": gaussian_error.decisions(errors, sigma_s, sigma_d),
        "threshold_sigma_s": gaussian_error.decisions(errors, sigma_s),
    }
    return [
        ((name, MEMBERSHIP, 2), _rates(advantage(decided, is_member))) for name, decided in decisions_by_attack.items()
    ]


def _attributes(
    target: str,
    errors: np.ndarray,
    x: np.ndarray,
    columns: np.ndarray,
    sigma_s: float,
    is_member: np.ndarray,
    chance: np.random.Generator,
) -> list:
    """Return the same of the attacks on one target; `errors` has one row for each value."""
    codes = x[:, columns[0]] if len(columns) == 1 else x[:, columns].argmax(axis=1)
    truth = codes.astype(np.int64)
    prior = np.bincount(truth, minlength=len(errors)) / len(truth)
    accepted = gaussian_error.decisions(errors, sigma_s).T
    guesses = {
        "attribute": attribute.most_likely(errors.T, prior, sigma_s),
        "uniform": attribute.uniform_reduction(accepted, chance),
        **{
            f"multi_query_{order}": attribute.multi_query_reduction(accepted, prior, order)
            for order in attribute.ORDERS
        },
    }
    return [
        ((name, target, len(prior)), _rates(attribute.advantage(guess, truth, is_member)))
        for name, guess in guesses.items()
    ]


def _errors_by_value(predict: Predictor, x: np.ndarray, y: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the errors if each record had each value of the target: shape (values, parameters, records)."""
    candidates = np.array([[0.0], [1.0]]) if len(columns) == 1 else np.eye(len(columns))
    errors = []
    for candidate in candidates:
        changed = x.copy()
        changed[:, columns] = candidate
        errors.append(y - predict(changed))
    return np.stack(errors)


def _folds(records: int, cross_validation: str | int, seed: int) -> KFold | LeaveOneOut:
    if cross_validation == LEAVE_ONE_OUT:
        return LeaveOneOut()
    if isinstance(cross_validation, int) and 2 <= cross_validation <= records:
        return KFold(cross_validation, shuffle=True, random_state=seed % 2**32)
    valid = f"{LEAVE_ONE_OUT!r} or a number from 2 to {records}"
    raise ConfigError("cross_validation", f"{cross_validation!r} is not {valid}")


def _cross_validated(
    fit: Fit, x: np.ndarray, y: np.ndarray, parameters: Sequence[float], folds: KFold | LeaveOneOut, seed: int
) -> np.ndarray:
    """Return the root mean squared error on records left out; shape (parameters,)."""
    errors = np.empty((len(parameters), len(y)))
    for kept, held_out in folds.split(x):
        errors[:, held_out] = y[held_out] - fit(x[kept], y[kept], parameters, seed)(x[held_out])
    return _root_mean_square(errors)


def _root_mean_square(errors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.mean(np.square(errors), axis=1))


def _rates(rates: dict[str, float]) -> list[float]:
    return [rates["tpr"], rates["fpr"], rates["advantage"]]


def _check(dataset: Dataset, model: str, parameters: Sequence[float], splits: int, test_fraction: float) -> None:
    """Refuse options that cannot be met."""
    if dataset.classes:
        raise ConfigError("dataset", f"{dataset.name!r} has classes", "Choose a data set with a number to predict")
    if model not in MODELS:
        raise ConfigError("model", f"{model!r} is not one of {', '.join(MODELS)}", suggestion(model, MODELS))
    if not parameters or min(parameters) <= 0:
        raise ConfigError("parameters", f"{list(parameters)} is not a list of positive numbers")
    if model == "tree" and not all(float(depth).is_integer() for depth in parameters):
        raise ConfigError("parameters", f"{list(parameters)} holds a depth that is not whole", "Name whole numbers")
    if splits < 1:
        raise ConfigError("splits", f"{splits} is not a positive integer")
    if not 0 < test_fraction < 1:
        raise ConfigError("test_fraction", f"{test_fraction} is not a share between 0 and 1")
