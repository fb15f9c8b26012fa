"""What ``gh``, ``glab`` and ``hub`` intend to do with a pull or merge request (A5, B6), and the address they print.

Pure tables. A link in the output supports an intent, but is no evidence by itself: text can contain any link.
"""

import re

from rawr.observe.intents.intent import Intent, Kind, Place
from rawr.observe.intents.options import Options, Read, Words, read_options
from rawr.observe.shell.simple_command import SimpleCommand

MAX_OUTPUT = 1 << 20


def _options(values: str) -> Options:
    return Options(values=frozenset(values.split()), anywhere=True)


# One table for all their commands: a letter means the same in most, and the value it takes in the others is no name.
_OPTIONS = _options(
    "-R --repo -t --title -b --body -F --body-file -B --base -H --head -a --assignee -l --label -m --milestone"
    " -p --project -r --reviewer -T --template --recover -A --author-email --subject --match-head-commit --comment"
    " --add-label --remove-label --add-reviewer --remove-reviewer --add-assignee --remove-assignee --add-project"
    " --remove-project --hostname --description --source-branch --target-branch --squash-message --sha"
)
_API_OPTIONS = _options(
    "-X --method -f --raw-field -F --field -H --header --input -q --jq -t --template --hostname --cache -p --preview"
)
_GH_PR: dict[str, tuple[Kind, ...]] = {
    "create": ("pr_create",),
    "new": ("pr_create",),
    "edit": ("pr_update",),
    "update-branch": ("pr_update",),
    "merge": ("pr_merge",),
    "close": ("pr_close",),
    "reopen": ("pr_reopen",),
    "review": ("pr_review",),
    "ready": ("pr_ready",),
    "checkout": ("branch_switch",),
    "co": ("branch_switch",),
}
_GLAB_MR: dict[str, tuple[Kind, ...]] = {
    "create": ("pr_create",),
    "new": ("pr_create",),
    "for": ("pr_create",),
    "update": ("pr_update",),
    "rebase": ("pr_update",),
    "merge": ("pr_merge",),
    "accept": ("pr_merge",),
    "close": ("pr_close",),
    "reopen": ("pr_reopen",),
    "approve": ("pr_review",),
    "revoke": ("pr_review",),
    "checkout": ("branch_switch",),
}
_URL = re.compile(
    r"https?://[^\s/'\"<>]+/(?:[^\s'\"<>?#]+/)?"
    r"(?:pull/\d+|-/merge_requests/\d+|merge_requests/\d+|pull-requests/\d+|github/pr/[^\s/'\"<>]+/[^\s/'\"<>]+/\d+)"
)


def pr_from_output(text: str) -> str | None:
    """The last printed address of a pull or merge request. "Create one by visiting …/pull/new/x" is not one."""
    found = _URL.findall(text[-MAX_OUTPUT:])
    return found[-1] if found else None


def gh(command: SimpleCommand, place: Place) -> list[Intent]:
    read = read_options(command.words[1:], _OPTIONS)
    match _names(read):
        case ("pr", action, *_):
            kinds = _GH_PR.get(action, ())
        case ("co", *_):
            kinds = ("branch_switch",)
        case ("api", *_):
            kinds = _api(read_options(command.words[1:], _API_OPTIONS))
        case _:
            kinds = ()
    if kinds == ("pr_merge",) and read.has("--disable-auto"):
        kinds = ("pr_update",)
    return _intents(kinds, read, command=command, place=place)


def glab(command: SimpleCommand, place: Place) -> list[Intent]:
    read = read_options(command.words[1:], _OPTIONS)
    match _names(read):
        case ("mr", action, *_):
            kinds = _GLAB_MR.get(action, ())
        case _:
            kinds = ()
    if kinds == ("pr_update",) and read.has("--ready"):
        kinds = ("pr_ready",)
    return _intents(kinds, read, command=command, place=place)


def hub(command: SimpleCommand, place: Place) -> list[Intent]:
    """Only the commands that hub adds to git's own."""
    read = read_options(command.words[1:], _OPTIONS)
    match _names(read):
        case ("pull-request", *_):
            return _intents(("pr_create",), read, command=command, place=place)
        case ("pr", "checkout", *_):
            return _intents(("branch_switch",), read, command=command, place=place)
        case _:
            return []


def _names(read: Read) -> tuple[str, ...]:
    names: Words = read.rest[:2]
    return tuple(name if name is not None else "?" for name in names)


def _api(read: Read) -> tuple[Kind, ...]:
    """``gh api repos/o/r/pulls -f title=…`` opens one: with a field, the method is POST."""
    path = read.rest[1] if len(read.rest) > 1 else None
    if path is None:
        return ()
    method = read.value("-X", "--method") or ""
    writes = read.has("-f", "--raw-field", "--field", "-F", "--input")
    if re.fullmatch(r"/?repos/[^/]+/[^/]+/pulls", path) and (method.upper() == "POST" or (writes and not method)):
        return ("pr_create",)
    if re.fullmatch(r"/?repos/[^/]+/[^/]+/pulls/\d+/merge", path) and method.upper() == "PUT":
        return ("pr_merge",)
    return ()


def _intents(kinds: tuple[Kind, ...], read: Read, *, command: SimpleCommand, place: Place) -> list[Intent]:
    if read.has("-h", "--help"):
        return []
    dry = read.has("--dry-run") or (read.has("-w", "--web") and kinds == ("pr_create",))
    return [Intent(kind, place.directory, dry_run=dry, certain=command.certain, argv=command.words) for kind in kinds]
