"""Every word for a secret, with every sign behind it, before every shape, in every place."""

from random import Random

import pytest

from rawr.journal.redact import Redactor
from tests.journal.crossed import KNOWN, PLACES, Cell, said, written

pytestmark = pytest.mark.mission("D12")

SAMPLE = 6_000
"""Cells for each place: of some eighty thousand, others in every run would hide what fails."""


def left(cells: list[Cell]) -> set[str]:
    return {cell.name for cell in cells if cell.secret in Redactor().text(cell.text)}


def test_hardly_any_word_sign_and_shape_together_show_a_secret() -> None:
    cells = Random(26).sample([*said()], SAMPLE)  # noqa: S311 - the same in every run
    assert len(left(cells)) <= SAMPLE * KNOWN


def test_no_name_in_a_program_shows_a_secret_unless_it_is_a_number() -> None:
    assert {name for name in left([*written()]) if not name.endswith("digits")} == set()


@pytest.mark.parametrize("place", PLACES)
def test_what_is_hidden_is_hidden_in_every_place(place: str) -> None:
    cells = [*said(), *written()]
    for cell in Random(place).sample(cells, 500):  # noqa: S311 - the same in every run
        if cell.secret in Redactor().text(cell.text):
            continue
        redactor, text = Redactor(), PLACES[place](cell.text)
        redacted = redactor.text(text)
        assert cell.secret not in redacted, cell
        assert redactor.restore(redacted) == text, cell
        assert redactor.text(redacted) == redacted, cell
