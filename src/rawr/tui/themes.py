"""Light and dark, with the same roles."""

from textual.theme import Theme

DARK = Theme(
    name="rawr-dark",
    primary="#7aa2f7",
    secondary="#565f89",
    accent="#e0a458",
    warning="#e6c35c",
    error="#f0717a",
    success="#8bc98b",
    foreground="#d5d8e0",
    background="#16181d",
    surface="#1b1e24",
    panel="#23272f",
    dark=True,
    variables={"muted": "#8b92a3", "faint": "#4b5160", "own": "#9a8fc7"},
)
LIGHT = Theme(
    name="rawr-light",
    primary="#2f5fb3",
    secondary="#8a93a6",
    accent="#a8620a",
    warning="#8f6a00",
    error="#b3261e",
    success="#2e7d32",
    foreground="#22252b",
    background="#fbfbf9",
    surface="#f4f4f1",
    panel="#e9e9e4",
    dark=False,
    variables={"muted": "#6a7080", "faint": "#b9bcc4", "own": "#6a51a3"},
)
