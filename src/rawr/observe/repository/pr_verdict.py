"""Did this command really open, merge or change a pull request (A5, B2, B6).

No repository tells, so the exit code and the printed text do, and the verdict says how sure that is. Pure.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from rawr.observe.intents.forge import pr_from_output
from rawr.observe.intents.intent import PULL_REQUEST, Intent, Kind

_EXISTS = re.compile(r"already exists", re.IGNORECASE)
_LATER = re.compile(r"will be automatically merged|added to the merge queue|auto-merge", re.IGNORECASE)
_UPDATED = re.compile(r"\(updated\)", re.IGNORECASE)
_CREATED = re.compile(r"\(created\)", re.IGNORECASE)


class PrVerdict(Struct, frozen=True):
    done: tuple[Kind, ...]
    """What happened, in the order of the line."""
    url: str | None
    agreed: bool
    """The exit code and the text say the same."""
    why: str


def pull_request(intents: Sequence[Intent], output: str, *, exit_code: int | None) -> PrVerdict:
    meant = [intent for intent in intents if intent.kind in PULL_REQUEST]
    real = [intent for intent in meant if not intent.dry_run]
    url = pr_from_output(output) if real else None
    if not meant:
        return PrVerdict((), None, agreed=True, why="nothing about a pull request was meant")
    if not real:
        return PrVerdict((), None, agreed=True, why="a dry run, or left to a browser")
    if url is not None and _EXISTS.search(output) and all(intent.kind == "pr_create" for intent in real):
        return PrVerdict((), url, agreed=True, why="the pull request was there already")
    created = [intent.kind for intent in real if intent.kind == "pr_create"]
    kinds: tuple[Kind, ...] = tuple(dict.fromkeys(intent.kind for intent in real))
    if exit_code == 0:
        return _succeeded(kinds, output, url=url, certain=all(intent.certain for intent in real))
    if created and url is not None:
        return PrVerdict(("pr_create",), url, agreed=False, why="an address was printed, then the line failed")
    if exit_code is None:
        return PrVerdict((), url, agreed=False, why="the exit code is not known, and the text does not tell")
    return PrVerdict((), url, agreed=True, why=f"the command failed with exit code {exit_code}")


def _succeeded(kinds: tuple[Kind, ...], output: str, *, url: str | None, certain: bool) -> PrVerdict:
    if "pr_merge" in kinds and _LATER.search(output):
        kinds = tuple(kind for kind in kinds if kind != "pr_merge")
        return PrVerdict(kinds, url, agreed=True, why="it will be merged later, when its checks pass")
    if "pr_create" in kinds:
        if _UPDATED.search(output) and not _CREATED.search(output):
            renamed: tuple[Kind, ...] = tuple("pr_update" if kind == "pr_create" else kind for kind in kinds)
            return PrVerdict(renamed, url, agreed=True, why="the pull requests were there already and were updated")
        if url is None and not _CREATED.search(output):
            if not certain:
                return PrVerdict((), None, agreed=True, why="no address was printed: it was not run, or it failed")
            return PrVerdict(kinds, None, agreed=False, why="the command succeeded, and no address was printed")
    elif not certain:
        return PrVerdict(kinds, url, agreed=False, why="the line succeeded, and this part of it may not have been run")
    return PrVerdict(kinds, url, agreed=True, why="the command succeeded")
