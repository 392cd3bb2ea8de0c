"""Membership inference privacy around any scikit-learn estimator whose fit ends in arrays of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from dpmia.common.errors import shown
from dpmia.mip.noise import check_arguments, flatten, random_halves, release, seeded, split_moments

#: Parameters that are released unless others are named, as far as the fitted estimator has them.
USUAL_PARAMETERS = ("coef_", "intercept_")

TOO_LARGE = "expected numbers that floats can hold in X and y"


def _base_has(method: str) -> Any:
    """Return a check whether the wrapped estimator has `method`."""

    def check(self: MIPEstimator) -> bool:
        return hasattr(getattr(self, "estimator_", self.base), method)

    return available_if(check)


class MIPEstimator(MetaEstimatorMixin, BaseEstimator):
    """Fits `base` on a random half of the data and releases its parameters with noise that makes them eta-MIP.

    **The guarantee.** Of the n records given to `fit`, n // 2 are drawn at random and trained on. Nobody who sees the
    fitted wrapper predicts for any of the n whether it was trained on, with probability above 1/2 + `eta` (for odd n:
    above (n + 1) / 2n + `eta`). The same holds for all that is computed from the fitted wrapper.

    **How.** `base` is fitted on `splits` random halves, from which central moments of each parameter are estimated; on
    one more half, independent of those, for the parameters to release; then noise is added, scaled by the moments
    (`dpmia.mip.noise.Noise`). No other trace of the last fit is kept. Attributes that all the other fits have in common
    (classes, numbers of features, ...) are kept, those that differ (numbers of iterations, losses, ...) are not.

    **What it does not cover.**

    * Whether a record is among the n at all.
    * The moments are estimates: an effect of a record that only rare halves show may be missed. More splits help.
    * The guarantee is an average over outputs, not for each of them, and for one `fit`: each further one on the same
      data is a further chance for the attacker.
    * With `radius="laplace"` and many parameters it can be broken (see `Noise`).
    * Who knows the seed can undo everything, so `random_state=None` outside of experiments; and the last digits of
      floating-point numbers may reveal more than the numbers.
    * Accuracy: at `corollary_8`'s scale the noise is hundreds of times what parameters vary by from half to half.
      `total_variation` needs some `1 / (2 eta)` times, with a proof of ours, and still times the number of parameters.

    Steps that only transform (a scaler) may stand before the wrapper in a pipeline, fitted on all n records: what
    depends on the n only does not separate the halves.

    Examples:
        >>> from sklearn.datasets import make_regression
        >>> from sklearn.linear_model import Ridge
        >>> x, y = make_regression(2000, 3, noise=5.0, random_state=0)
        >>> model = MIPEstimator(Ridge(), eta=0.25, calibration="total_variation", random_state=0)
        >>> bool(model.fit(x, y).score(x, y) > 0.9)
        True

    Args:
        base: any estimator with `fit`, whose fitted parameters are arrays of numbers that determine its predictions.
        eta: what the best attacker gains, in (0, 1/2).
        moment: M of the moments, at least 2 for `corollary_8`, at least 1 otherwise.
        splits: number of random halves for the moments, at least 16; the paper takes 128.
        random_state: None, a number or a RandomState; of the halves, of `base` where its own is None, and of the noise.
        radius: `gamma`, or `laplace` as the paper prints it.
        calibration: `corollary_8`, `theorem_7` or `total_variation`.
        parameters: names of the attributes to release, each a number, an array, or a list of arrays; None for those
            of `coef_` and `intercept_` that the fitted estimator has.
        n_jobs: how many halves are fitted at once, as in joblib.

    Attributes:
        estimator_: a clone of `base` with the released parameters.
        parameters_: names of the released attributes.
        moments_: (parameters,), estimated moments of all released numbers in the order of `parameters_`; they reveal
            about the n records, not about the half that was used.
        classes_: of a classifier.
        n_features_in_: number of features.

    Source: Izzo et al. 2024, algorithm 1 and corollary 8 (formulas partly reconstructed, see `dpmia.theory.mip`).
    """

    def __init__(
        self,
        base: Any,
        eta: float,
        moment: float = 4,
        splits: int = 128,
        random_state: int | np.random.RandomState | None = None,
        *,
        radius: str = "gamma",
        calibration: str = "corollary_8",
        parameters: Sequence[str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        """Keep the arguments; `fit` checks them."""
        self.base = base
        self.eta = eta
        self.moment = moment
        self.splits = splits
        self.random_state = random_state
        self.radius = radius
        self.calibration = calibration
        self.parameters = parameters
        self.n_jobs = n_jobs

    def fit(self, X: np.ndarray, y: np.ndarray | None = None) -> MIPEstimator:
        """Fit and release.

        Args:
            X: (records, features), finite numbers.
            y: (records,) or (records, outputs), if `base` needs it.

        Raises:
            ValueError: arguments or data are out of range, or halves of the data lead to different shapes.
            TypeError: an argument is of another type; or a parameter is missing, holds no floating-point numbers, or
                cannot be replaced.
        """
        check_arguments(self.eta, self.moment, self.splits, self.radius, self.calibration, self.n_jobs)
        if not hasattr(self.base, "fit"):
            raise TypeError(f"base is {shown(self.base)}, expected an estimator of scikit-learn")
        try:
            if y is None and not get_tags(self.base).target_tags.required:
                X = validate_data(self, X, ensure_min_samples=2)
            else:  # more of y is for `base` to check
                X, y = validate_data(self, X, y, multi_output=True, ensure_min_samples=2)
        except RuntimeError as error:  # of torch
            raise TypeError(f"expected X and y to be arrays, got what is none ({error})") from error
        except ArithmeticError as error:  # an integer beyond all floats; a signalling NaN of decimal
            raise ValueError(f"{TOO_LARGE} ({error})") from error
        rng = _generator(self.random_state)
        halves = random_halves(len(X), self.splits + 1, rng)
        seeds = rng.integers(2**31, size=len(halves)).tolist()
        models = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit)(self.base, X[half], None if y is None else y[half], seed)
            for half, seed in zip(halves, seeds, strict=True)
        )
        self.parameters_ = self._names(models[0])
        flat = flatten([_arrays(model, self.parameters_) for model in models], f"{self.parameters_} of {self.base}")
        released = release(
            flat[:-1], flat[-1],
            eta=self.eta, moment=self.moment, radius=self.radius, calibration=self.calibration, rng=rng,
        )  # fmt: skip
        self.moments_ = split_moments(flat[:-1], self.moment)
        self.estimator_ = _shell(self.base, models[:-1], self.parameters_)
        _write(self.estimator_, models[0], self.parameters_, released)
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_
        return self

    def _names(self, model: Any) -> list[str]:
        """Return the names of the parameters to release."""
        if self.parameters is not None:
            names = list(self.parameters) if np.iterable(self.parameters) else [self.parameters]
            if wrong := [name for name in names if not isinstance(name, str)]:
                raise TypeError(f"expected parameters to be names of attributes, got {shown(wrong[0])}")
        else:
            names = [name for name in USUAL_PARAMETERS if hasattr(model, name)]
        missing = [name for name in names if not hasattr(model, name)]
        if missing or not names:
            fitted = sorted(name for name in vars(model) if name.endswith("_"))
            raise TypeError(
                f"{type(model).__name__} has none of the parameters {missing or list(USUAL_PARAMETERS)} after fit; it "
                f"has {fitted}. Name those that determine its predictions in `parameters`."
            )
        return names

    def _call(self, method: str, X: np.ndarray, *args: Any) -> Any:
        """Return the predictions of the released estimator on `X`."""
        check_is_fitted(self)
        try:
            return getattr(self.estimator_, method)(validate_data(self, X, reset=False), *args)
        except AttributeError as error:
            if error.obj is not self.estimator_ or not str(error.name).endswith("_"):
                raise
            raise TypeError(
                f"{type(self.estimator_).__name__} predicts from {error.name}, which is not released, as it differs "
                "between halves of the data. Name it in `parameters`."
            ) from error

    @_base_has("predict")
    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the outputs of the released estimator."""
        return self._call("predict", X)

    @_base_has("predict_proba")
    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the class probabilities of the released estimator."""
        return self._call("predict_proba", X)

    @_base_has("predict_log_proba")
    def predict_log_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the log class probabilities of the released estimator."""
        return self._call("predict_log_proba", X)

    @_base_has("decision_function")
    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the decision values of the released estimator."""
        return self._call("decision_function", X)

    @_base_has("transform")
    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return `X` transformed by the released estimator."""
        return self._call("transform", X)

    @_base_has("transform")
    def fit_transform(self, X: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
        """Fit, and return all of `X`, used or not, transformed by the released estimator."""
        return self.fit(X, y).transform(X)

    @_base_has("score")
    def score(self, X: np.ndarray, y: np.ndarray | None = None) -> float:
        """Return the score of the released estimator."""
        return self._call("score", X, y)

    def __sklearn_tags__(self) -> Any:
        """Be of the kind that `base` is; noise costs accuracy, and the data must be dense and finite."""
        tags, of_base = super().__sklearn_tags__(), get_tags(self.base)
        tags.estimator_type = of_base.estimator_type
        tags.target_tags = of_base.target_tags
        tags.classifier_tags, tags.regressor_tags = of_base.classifier_tags, of_base.regressor_tags
        tags.transformer_tags = of_base.transformer_tags
        tags.input_tags.positive_only = of_base.input_tags.positive_only
        for kind in (tags.classifier_tags, tags.regressor_tags):
            if kind is not None:
                kind.poor_score = True
        return tags


def _generator(random_state: int | np.random.RandomState | None) -> np.random.Generator:
    """Return a generator; without a seed one of its own, not numpy's global stream, which others can predict."""
    if random_state is None or isinstance(random_state, int | np.integer):
        return seeded(random_state)
    return np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))


def _fit(base: Any, X: np.ndarray, y: np.ndarray | None, seed: int) -> Any:
    """Return a clone of `base` fitted on these rows; whatever random state it leaves open is set."""
    model = clone(base)
    open_states = [
        name
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    model.set_params(**dict.fromkeys(sorted(open_states), seed))
    try:
        return model.fit(X) if y is None else model.fit(X, y)
    except OverflowError as error:  # an integer beyond all floats in y
        raise ValueError(f"{TOO_LARGE} ({error})") from error


def _arrays(model: Any, names: Sequence[str]) -> list[np.ndarray]:
    """Return the named parameters of a fitted model, those that are lists of arrays one by one."""
    arrays = []
    for name in names:
        value = getattr(model, name)
        for part in value if isinstance(value, list | tuple) else [value]:
            array = np.asarray(part)
            if array.dtype.kind != "f":
                raise TypeError(
                    f"expected {name} of {type(model).__name__} to hold floating-point numbers, got {array.dtype}"
                )
            arrays.append(array)
    return arrays


def _shell(base: Any, models: Sequence[Any], names: Sequence[str]) -> Any:
    """Return a clone of `base` with the fitted attributes that all `models` agree on, parameters left out."""
    shell = clone(base)
    for name in vars(models[0]).keys() - vars(shell).keys() - set(names):
        values = [joblib.hash(vars(model).get(name)) for model in models]
        if all(value == values[0] for value in values):
            setattr(shell, name, vars(models[0])[name])
    return shell


def _write(shell: Any, like: Any, names: Sequence[str], numbers: np.ndarray) -> None:
    """Set the named parameters of `shell` to `numbers`, in the shapes and types that they have in `like`."""
    place = 0

    def take(part: Any) -> Any:
        nonlocal place
        old = np.asarray(part)
        new = numbers[place : place + old.size].reshape(old.shape).astype(old.dtype)
        place += old.size
        return new if isinstance(part, np.ndarray) else new[()]

    for name in names:
        value = getattr(like, name)
        new = [take(part) for part in value] if isinstance(value, list | tuple) else take(value)
        try:
            setattr(shell, name, new)
        except AttributeError:
            raise TypeError(
                f"{name} of {type(shell).__name__} cannot be replaced: it is computed from other attributes. "
                "Name those in `parameters`, or use an estimator that predicts from its parameters."
            ) from None
