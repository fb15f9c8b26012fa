"""Text that fits a number of columns. A wide character takes two."""


def start_of(text: str, columns: int) -> str:
    """As much of the start as fits."""
    from rich.cells import cell_len

    for number, one in enumerate(text):
        columns -= cell_len(one)
        if columns < 0:
            return text[:number]
    return text


def end_of(text: str, columns: int) -> str:
    """As much of the end as fits, so that the newest typed text is visible."""
    return start_of(text[::-1], columns)[::-1]


def wrapped(text: str, columns: int) -> list[str]:
    """All of it, in lines that fit; broken at spaces where there are any."""
    lines: list[str] = []
    rest = text
    while rest:
        line = start_of(rest, max(columns, 2))
        if line != rest and " " in line.strip() and not rest[len(line)].isspace():
            line = line[: line.rindex(" ")]
        lines.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    return lines


def shortened(text: str, columns: int) -> str:
    """The whole text, or its start with a mark."""
    return text if start_of(text, columns) == text else start_of(text, columns - 1) + "…"
