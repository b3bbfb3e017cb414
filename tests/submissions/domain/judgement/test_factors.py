"""How the figures of a model go together."""

import numpy as np
import pytest

from submissions.domain.judgement import factors
from submissions.domain.judgement.composite import Figures


def measured(rows: np.ndarray, precision: float | np.ndarray = 1e6) -> Figures:
    """Models x figures around a market at 0 with a spread of 1."""
    return Figures(rows, np.broadcast_to(precision, rows.shape) * 1.0, 0 * rows, np.ones(rows.shape))


def of_two_kinds(models: int, seed: int = 5) -> np.ndarray:
    """Reads share a factor, writes another: within a kind figures correlate by 0.8, across not at all."""
    chance = np.random.default_rng(seed)
    shared = np.repeat(chance.standard_normal((models, 2)), 3, axis=1)
    return 0.8**0.5 * shared + 0.2**0.5 * chance.standard_normal((models, 6))


def test_it_works() -> None:
    rho = factors.correlation(factors.learn(measured(of_two_kinds(900))))
    assert rho[0, 1] == pytest.approx(0.8, abs=0.06)
    assert rho[4, 5] == pytest.approx(0.8, abs=0.06)
    assert rho[0, 5] == pytest.approx(0.0, abs=0.08)
    assert np.diag(rho) == pytest.approx(np.ones(6))


def test_of_very_many_models_every_so_many_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "_ENOUGH", 100)
    rows = of_two_kinds(250)
    assert factors.learn(measured(rows)).tolist() == factors.learn(measured(rows[::3])).tolist()


def test_the_fewer_models_the_more_is_left_of_what_is_usual() -> None:
    rho = [
        factors.correlation(factors.learn(measured(of_two_kinds(models))))[0, 5] for models in (0, 8, 80, 800)
    ]
    assert rho[0] == pytest.approx(0.3, abs=1e-3)
    assert rho == sorted(rho, reverse=True)


def test_models_measured_badly_or_in_one_figure_tell_nothing() -> None:
    usual = factors.correlation(factors.usual(6))
    rows = of_two_kinds(400)
    badly = factors.learn(measured(rows, 0.9))
    once = factors.learn(measured(rows, np.eye(6)[np.arange(400) % 6] * 1e6))
    for loadings in (badly, once):
        assert factors.correlation(loadings) == pytest.approx(usual, abs=1e-3)


def test_a_model_far_off_makes_no_correlation() -> None:
    rows = np.random.default_rng(7).standard_normal((900, 2))
    rows[0] = 1000.0
    assert factors.correlation(factors.learn(measured(rows)))[0, 1] < 0.12


def test_no_figure_follows_wholly_from_others() -> None:
    column = np.random.default_rng(7).standard_normal((900, 1))
    rho = factors.correlation(factors.learn(measured(np.hstack([column, column, -column]))))
    assert 0.7 < rho[0, 1] <= 0.9
    assert -0.9 <= rho[0, 2] < -0.7
    assert np.linalg.eigvalsh(rho).min() > 0


def test_one_number_for_all_of_them() -> None:
    assert factors.typical(factors.correlation(factors.usual(4, 0.5))) == pytest.approx(0.5)
    assert factors.typical(np.array([[1.0, 0.7], [0.7, 1.0]])) == 0.7
    assert factors.typical(np.ones((1, 1))) == 0.3
