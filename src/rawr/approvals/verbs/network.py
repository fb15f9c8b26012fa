"""Programs that speak with the network (C10): to this machine only. Another address needs a rule that has it.

``ssh``, ``scp``, ``rsync``, ``nc`` and the like are opened by their own words only (``ssh`` by none: see ``rules``).
Nowhere on these lists: files to send (``-T``, ``-F``, ``-d @…``) or to take options from (``-K``), proxies, cookies and
keys, other addresses for a name (``--resolve``, ``--connect-to``), ``--next``, ``-L``.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, Read
from rawr.approvals.verbs.kinds import NUMBER, checked, one_of
from rawr.approvals.verbs.verb import Verb, verb

_HERE = re.compile(
    r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:/[A-Za-z0-9_./?=&%+,:;~-]*)?", re.ASCII
)


def _here(text: str, call: Call) -> list[str]:
    return [] if _HERE.fullmatch(text) else [f"{shown(text)} is not an address of this machine."]


def _header(text: str, call: Call) -> list[str]:
    plain = re.fullmatch(r"[A-Za-z0-9-]+:[^\r\n@]*", text)
    return [] if plain else [f"{shown(text)} is not a plain header."]


def _output(text: str, call: Call) -> list[str]:
    """Not a file: outside of the sandbox it would be written through any link that the agent puts in its way."""
    return [] if text in ("-", "/dev/null") else [f"{shown(text)} is a file: only `-` and `/dev/null` are opened."]


def _keeps(read: Read, call: Call) -> list[str]:
    """Without a name, wget writes a file that the other side names."""
    problems = (
        []
        if read.has("-O", "--output-document", "--spider")
        else ["`wget` without `-O` writes a file that the other side names."]
    )
    if ("--max-redirect", "0") not in {(option, value.text if value else None) for option, value in read.given}:
        problems.append("`wget` goes wherever the other side sends it: add `--max-redirect=0`.")
    return problems


HERE = checked("an address of this machine", _here)
_OUTPUT = checked("`-` or /dev/null", _output)
_HEADER = checked("a header", _header)

NETWORK: tuple[Verb, ...] = (
    verb(
        "curl",
        "-sSfiIvNg46 --silent --show-error --fail --fail-with-body --include --head --verbose --no-buffer --compressed "
        "--no-progress-meter --globoff --http1.1",
        values={
            NUMBER: "-m --max-time --connect-timeout --retry --retry-delay",
            one_of("GET HEAD OPTIONS"): "-X --request",
            _HEADER: "-H --header",
            _OUTPUT: "-o --output",
            checked(
                "a format",
                lambda text, call: (
                    ["The format is a file."] if text.startswith("@") or "%output" in text or "%{stderr" in text else []
                ),
            ): "-w --write-out",
        },
        operands=HERE,
    ),
    verb(
        "wget",
        "-qSv46 --quiet --no-verbose --server-response --spider",
        values={NUMBER: "-t --tries -T --timeout", one_of("0"): "--max-redirect", _OUTPUT: "-O --output-document"},
        operands=HERE,
        further=_keeps,
    ),
    verb("http", "--check-status --headers --body", first=(one_of("GET HEAD"), HERE)),
)
