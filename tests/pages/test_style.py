"""The colours of the page: text can be read on whatever it stands on, in light and dark."""

import re

import pytest

from rawr.pages.html import resource

INKS = ("ink", "soft", "good", "bad", "line")
GROUNDS = ("paper", "card", "shade")
READABLE = 4.5
"""As WCAG asks for, at level AA."""


def schemes() -> dict[str, dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\}", resource("page.css"), re.DOTALL)[:2]
    named = re.compile(r"--(\w+): (#\w+)")
    return {"light": dict(named.findall(light)), "dark": dict(named.findall(dark))}


def brightness(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((brightness(one), brightness(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(scheme: str) -> None:
    colours = schemes()[scheme]
    found = {(ink, ground): contrast(colours[ink], colours[ground]) for ink in INKS for ground in GROUNDS}
    assert {pair: ratio for pair, ratio in found.items() if ratio < READABLE} == {}


def test_both_schemes_have_every_colour() -> None:
    light, dark = schemes().values()
    assert light.keys() == dark.keys()
    assert set(re.findall(r"var\(--(\w+)\)", resource("page.css"))) <= light.keys()
