"""The agent's own words in a message: without code, quotations, links and what newer versions add.

Every message that ends a turn comes through here, so each step is tried only where a sign of it is in the text: to look
for one character takes a tenth of what it takes to look for two.
"""

import re

LONG = 20_000
"""Characters of a message from which on only its two ends count."""
_FENCE = "```"
_TILDES = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
"""Fenced blocks of both kinds."""
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)|https?://\S+")
_QUOTED = re.compile(r"^\s*>.*$|“[^”\n]*”|\"[^\"\n]{1,200}\"|「[^」\n]*」", re.MULTILINE)
_IN_SIGNS = re.compile(r"“[^”\n]*”")
"""What is left of those, or all of it where there are no other signs."""
_TABLE = re.compile(r"^\s*\|.*\|\s*$", re.MULTILINE)
_ADDED = re.compile(r"<oai-mem-citation>.*\Z|^::[a-z-]+\{.*?\}\s*$", re.MULTILINE | re.DOTALL)
"""What newer versions put after the last sentence."""


def prose_of(text: str) -> str:
    """In lower case, and without emphasis."""
    if len(text) > LONG:
        text = f"{text[: LONG // 2]}\n{text[-LONG // 2 :]}"
    if "~" in text and "~~~" in text:
        text = _TILDES.sub("", text)
    elif "`" in text and _FENCE in text:
        text = without_fenced(text)
    if ("<" in text and "<oai" in text) or ("{" in text and "::" in text):
        text = _ADDED.sub("", text)
    if "|" in text:
        text = _TABLE.sub("", text)
    if "`" in text:
        text = without_code(text)
    if ("]" in text and "](" in text) or ("/" in text and "http" in text):
        # The words of a link stay. To split and join takes half of what it takes to fill in a template.
        text = "".join(filter(None, _LINK.split(text)))
    if '"' in text or ">" in text or "「" in text:
        text = _QUOTED.sub("", text)
    if "“" in text:
        text = _IN_SIGNS.sub("", text)
    return text.replace("*", "").replace("_", "").replace("#", "").replace("’", "'").strip().lower()


def without_fenced(text: str) -> str:
    """The text without blocks in backticks: from a line that begins with them to the next one that does, or the end.

    By hand, because a pattern looks at every character between two fences, and a block is often longer than the rest.
    """
    kept, done, at = [], 0, text.find(_FENCE)
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        if start < done or text[start:at].strip(" \t"):
            at = _in_next_line(text, _FENCE, at)
            continue
        end = at + len(_FENCE)
        while text.startswith("`", end):
            end += 1
        fence = text[at:end]
        close = _in_next_line(text, fence, end)
        while close >= 0 and text[text.rfind("\n", end, close) + 1 : close].strip(" \t"):
            close = _in_next_line(text, fence, close)
        kept.append(text[done:start])
        done = close + len(fence) if close >= 0 else len(text)
        at = text.find(_FENCE, done)
    return "".join((*kept, text[done:]))


def _in_next_line(text: str, fence: str, at: int) -> int:
    """Where the fence comes next, not in this line any more; -1 if it does not."""
    line = text.find("\n", at)
    return text.find(fence, line) if line >= 0 else -1


def without_code(text: str) -> str:
    """The text without code in single backticks, which begins and ends in one line."""
    spans = text.split("`")
    if len(spans) % 2 and "\n" not in "".join(spans[1::2]):  # every second part is code, almost always
        return "".join(spans[::2])
    return _CODE.sub("", text)
