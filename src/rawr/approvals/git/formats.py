"""git formats that only name what is in a commit or a ref (C10).

Some do more: a commit's signature runs gpg, its description runs git again. git also allows a sign between the percent
and the letter, so the known letters are listed, and nothing else is safe.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.costs import costly_format

_NAMED = frozenset({"oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw"})
_PLACEHOLDER = re.compile(
    r"""%(?: %|n|x[0-9A-Fa-f]{2}
        |[+\- ]?(?:H|h|T|t|P|p|d|D|S|e|s|f|b|B|N|m|a[nNeElLdDrtiIsh]|c[nNeElLdDrtiIsh]|g[DdnNeEs])
        |C(?:red|green|blue|reset|\([A-Za-z0-9,\#\ ]*\))
        |w\([0-9,\ ]*\)|>>?\|?\([0-9,a-z\ ]*\)|<\|?\([0-9,a-z\ ]*\)|><\|?\([0-9,a-z\ ]*\)
    )""",
    re.VERBOSE,
)
_ATOM = re.compile(
    r"""%(?: %|[0-9A-Fa-f]{2}
        |\(\*?(?:refname|objecttype|objectsize|objectname|upstream|push|HEAD|symref|worktreepath|subject|body|contents|tree
            |parent|numparent|object|type|tag|author|authorname|authoremail|authordate|committer|committername
            |committeremail|committerdate|version|v|tagger|taggername|taggeremail|taggerdate|creator|creatordate|color|align|end
            |if|then|else)
          (?::(?!signature)[A-Za-z0-9_=,.:%\-\ /]*)?\)
    )""",
    re.VERBOSE,
)


def unsafe_format(text: str) -> list[str]:
    """For commits, as in ``git log --format``. Any other name is one of the user's own formats."""
    if text in _NAMED:
        return []
    if wide := costly_format(text):
        return wide
    kind, colon, rest = text.partition(":")
    given = rest if colon and kind in ("format", "tformat") else text
    known = given != text or given == "" or "%" in given
    return [] if known and "%" not in _PLACEHOLDER.sub("", given) else _more(text)


def unsafe_group(text: str) -> list[str]:
    """What ``git shortlog`` groups by: a name, a trailer, or a format."""
    named = text in ("author", "committer") or re.fullmatch(r"trailer:[A-Za-z0-9-]+", text)
    return [] if named else unsafe_format(text)


def unsafe_ref_key(text: str) -> list[str]:
    """What refs are sorted by: ``-creatordate`` is the field with a sign."""
    return unsafe_ref_format(f"%({text.removeprefix('-')})")


def unsafe_ref_format(text: str) -> list[str]:
    """For refs, as in ``git branch --format``."""
    return costly_format(text) or (_more(text) if "%" in _ATOM.sub("", text) else [])


def _more(text: str) -> list[str]:
    return [f"The format {shown(text)} may ask for signatures, which runs gpg, or for more."]
