"""gh's verbs (C10). It sends what it is given to GitHub, under the user's name, for the repository that it runs in.

Nowhere on these lists: ``-R`` (another repository), ``--web`` and ``--editor`` (programs), ``--hostname``, ``--input``,
``-f`` and ``-F`` of ``api`` (they write). ``alias``, ``extension``, ``auth``, ``secret``, ``gist``, ``codespace``,
``config``, ``ssh-key`` and ``repo delete`` are opened by their own words only.
"""

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, Read
from rawr.approvals.verbs.git import ADDRESS, BRANCH
from rawr.approvals.verbs.kinds import (
    ASSIGNMENT,
    CHANGED,
    FILE,
    NAME,
    NAMES,
    NUMBER,
    TARGET,
    TEXT,
    checked,
    either,
    one_of,
)
from rawr.approvals.verbs.verb import Verb, unless, verb

_FIELDS = {NAMES: "--json", TEXT: "-q --jq -t --template"}
_ONE = either(NUMBER, BRANCH)
"""A pull request by its number or its branch, not by an address."""


def _api(text: str, call: Call) -> list[str]:
    if "://" in text or ".." in text or text.startswith("/") or "graphql" in text:
        return [f"{shown(text)} is not a plain path of the API."]
    return []


def _clones(read: Read, call: Call) -> list[str]:
    if len(read.operands) != 1:
        return []
    return call.places.unwritable(
        (read.operands[0].text or "").rpartition("/")[2].removesuffix(".git") or ".", call.folders
    )


_BODY = {
    TEXT: "-t --title -b --body",
    FILE: "-F --body-file",
    NAMES: "-l --label -a --assignee -m --milestone -p --project",
}
_LISTED = {
    NUMBER: "-L --limit",
    **_FIELDS,
    NAMES: "--json -l --label -A --author -a --assignee -s --state",
    TEXT: "-q --jq -t --template -S --search",
    BRANCH: "-B --base -H --head",
}
_COMMENT = {TEXT: "-b --body", FILE: "-F --body-file"}

_COMMENTED = unless("-b", "--body", "-F", "--body-file")


def _asks(read: Read) -> bool:
    """At a terminal it asks for what is missing, and offers an editor."""
    filled = read.has("--fill", "-f", "--fill-first", "--fill-verbose")
    written = read.has("-t", "--title") and read.has("-b", "--body", "-F", "--body-file")
    return not (filled or written)


def _unchanged(read: Read) -> bool:
    return not any(value is not None for _, value in read.given)


def _downloads(read: Read, call: Call) -> list[str]:
    """What is in it was made elsewhere, perhaps by the agent, and may be called ``.git``."""
    given = [value.text for option, value in read.given if option in ("-D", "--dir") and value is not None]
    if not given or any(call.places.look.real(one or ".", within=folder) == str(call.places.workspace)
                        for one in given for folder in call.folders):  # fmt: skip
        return ["`gh run download` without a folder of its own may overwrite anything here."]
    return []


GH: tuple[Verb, ...] = (
    verb(
        "gh pr create",
        "-df --draft --fill --fill-first --fill-verbose --no-maintainer-edit --dry-run",
        values={
            **_BODY,
            BRANCH: "-B --base -H --head",
            NAMES: "-l --label -a --assignee -m --milestone -p --project -r --reviewer",
            FILE: "-F --body-file -T --template",
        },
        edits=_asks,
        git=True,
    ),
    verb("gh pr view", "-c --comments", values=_FIELDS, operands=_ONE, git=True),
    verb("gh pr list", "-d --draft", values=_LISTED, git=True),
    verb("gh pr status", "-c --conflict-status", values=_FIELDS, git=True),
    verb(
        "gh pr checks",
        "--watch --required --fail-fast",
        values={**_FIELDS, NUMBER: "-i --interval"},
        operands=_ONE,
        git=True,
    ),
    verb("gh pr diff", "--name-only --patch", values={one_of("always never auto"): "--color"}, operands=_ONE, git=True),
    verb(
        "gh pr merge",
        "-msrd --merge --squash --rebase --auto --disable-auto --delete-branch",
        named="--admin",
        values={**_COMMENT, TEXT: "-b --body -t --subject", NAME: "--match-head-commit"},
        operands=_ONE,
        edits=unless("-m", "--merge", "-s", "--squash", "-r", "--rebase", "--disable-auto"),
        git=True,
    ),
    verb(
        "gh pr edit",
        "--remove-milestone",
        values={
            **_BODY,
            BRANCH: "-B --base",
            NAMES: "--add-label --remove-label "
            "--add-reviewer --remove-reviewer --add-assignee --remove-assignee -m --milestone",
        },
        operands=_ONE,
        edits=_unchanged,
        git=True,
    ),
    verb("gh pr comment", "--edit-last", values=_COMMENT, operands=_ONE, edits=_COMMENTED, git=True),
    verb(
        "gh pr review",
        "-acr --approve --comment --request-changes",
        values=_COMMENT,
        operands=_ONE,
        edits=unless("-b", "--body", "-F", "--body-file", "-a", "--approve"),
        git=True,
    ),
    verb("gh pr ready", "--undo", operands=_ONE, git=True),
    verb("gh pr close", "-d --delete-branch", values={TEXT: "-c --comment"}, operands=_ONE, git=True),
    verb("gh pr reopen", values={TEXT: "-c --comment"}, operands=_ONE, git=True),
    verb("gh pr checkout", "--detach", values={BRANCH: "-b --branch"}, operands=NUMBER, git=True),
    verb("gh issue create", values={**_BODY, FILE: "-F --body-file -T --template"}, edits=_asks, git=True),
    verb("gh issue view", "-c --comments", values=_FIELDS, operands=NUMBER, git=True),
    verb(
        "gh issue list",
        values={**_LISTED, NAMES: "--json -l --label -A --author -a --assignee -s --state -m --milestone"},
        git=True,
    ),
    verb("gh issue status", values=_FIELDS, git=True),
    verb("gh issue comment", "--edit-last", values=_COMMENT, operands=NUMBER, edits=_COMMENTED, git=True),
    verb("gh issue close", values={TEXT: "-c --comment -r --reason"}, operands=NUMBER, git=True),
    verb("gh issue reopen", values={TEXT: "-c --comment"}, operands=NUMBER, git=True),
    verb(
        "gh issue edit",
        values={**_BODY, NAMES: "--add-label --remove-label --add-assignee --remove-assignee -m --milestone"},
        operands=NUMBER,
        edits=_unchanged,
        git=True,
    ),
    verb(
        "gh run list",
        values={
            NUMBER: "-L --limit",
            **_FIELDS,
            BRANCH: "-b --branch",
            NAMES: "--json -w --workflow -s --status -u --user -e --event",
        },
        git=True,
    ),
    verb(
        "gh run view",
        "-v --verbose --log --log-failed --exit-status",
        values={**_FIELDS, NUMBER: "-a --attempt -j --job"},
        operands=NUMBER,
        git=True,
    ),
    verb("gh run watch", "--exit-status --compact", values={NUMBER: "-i --interval"}, operands=NUMBER, git=True),
    verb("gh run rerun", "--failed -d --debug", values={NUMBER: "-j --job"}, operands=NUMBER, git=True),
    verb("gh run cancel", operands=NUMBER, git=True),
    verb(
        "gh run download",
        values={CHANGED: "-D --dir", NAME: "-n --name -p --pattern"},
        operands=NUMBER,
        further=_downloads,
        git=True,
    ),
    verb("gh workflow list", "-a --all", values={NUMBER: "-L --limit", **_FIELDS}, git=True),
    verb("gh workflow view", "-y --yaml", values={BRANCH: "-r --ref"}, operands=NAME, git=True),
    verb("gh workflow run", values={BRANCH: "-r --ref", ASSIGNMENT: "-f --raw-field"}, operands=NAME, git=True),
    verb("gh release list", values={NUMBER: "-L --limit", **_FIELDS}, git=True),
    verb("gh release view", values=_FIELDS, operands=BRANCH, git=True),
    verb(
        "gh release create",
        "-dp --draft --prerelease --generate-notes --latest --verify-tag --notes-from-tag",
        values={TEXT: "-t --title -n --notes", FILE: "-F --notes-file", BRANCH: "--target --notes-start-tag"},
        first=(BRANCH,),
        operands=FILE,
        edits=unless("-n", "--notes", "-F", "--notes-file", "--generate-notes", "--notes-from-tag"),
        git=True,
    ),
    verb("gh repo view", values=_FIELDS, git=True),
    verb(
        "gh repo clone",
        first=(
            either(
                ADDRESS,
                checked(
                    "OWNER/NAME",
                    lambda text, call: (
                        []
                        if text.count("/") == 1 and not TARGET.check(text, call)
                        else [f"{shown(text)} is not OWNER/NAME."]
                    ),
                ),
            ),
            CHANGED,
        ),
        further=_clones,
    ),
    verb("gh label list", values={NUMBER: "-L --limit", TEXT: "-S --search", NAMES: "--json"}, git=True),
    verb("gh status"),
    verb("gh search issues", values=_LISTED, operands=TEXT),
    verb("gh search prs", values=_LISTED, operands=TEXT),
    verb(
        "gh api",
        "-i --include --paginate --slurp --silent",
        values={TEXT: "-q --jq -t --template", one_of("GET get"): "-X --method", NAMES: "-p --preview --cache"},
        first=(checked("a path of the API", _api),),
        git=True,
    ),
)
