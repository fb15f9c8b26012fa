"""Secrets of a given shape, made anew: the lists of kinds hold shapes, not secrets."""

import re
import string
from random import Random

from tests.journal.secret_shapes import HEX, Maker

_HEX = re.compile(r"h(\d+)")
_SIGN = re.compile(r"\\?.", re.DOTALL)
_CHARACTERS = {"a": string.ascii_lowercase, "A": string.ascii_uppercase, "0": string.digits, "h": HEX, "H": HEX.upper()}


def like(shape: str) -> Maker:
    """``Aaaa-00``: a capital, small letters, digits; ``h`` and ``H``: hexadecimal; ``h32``: as many of them.

    Behind a backslash a letter means itself; all other characters are as they are."""
    if digits := _HEX.fullmatch(shape):
        return lambda chance: "".join(chance.choices(HEX, k=int(digits[1])))
    signs = [one[0] for one in _SIGN.finditer(shape)]
    return lambda chance: "".join(_one(sign, chance) for sign in signs)


def _one(sign: str, chance: Random) -> str:
    return chance.choice(_CHARACTERS.get(sign, sign[-1]))
