"""A pull request that a script opened is known by its address in the output (A5, B6), and by nothing less."""

from pathlib import Path

import pytest

from rawr.observe.watching import RepositoryWatch
from tests.observe.at_work import AtWork, git

HUB = "https://github.com/acme/app/pull/12"
LAB = "https://gitlab.example.org/acme/tools/app/-/merge_requests/3"
STACK = "https://app.graphite.dev/github/pr/acme/app/31"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    return tmp_path


@pytest.fixture
def thread(place: Path) -> AtWork:
    return AtWork(RepositoryWatch(), place).joins().begins()


def script(place: Path, name: str, text: str) -> None:
    (place / name).write_text(text)
    (place / name).chmod(0o755)


@pytest.mark.parametrize(
    ("output", "url"),
    [
        (f"Pushed.\nCreated pull request {HUB}", HUB),
        (f"Created pull request #12: {HUB}.", HUB),
        (f"Pull request created:\n  {HUB}\nDone.", HUB),
        (f"PR opened -> {HUB}", HUB),
        (f"✅ topic: {STACK} (created)", STACK),
        (f"Creating merge request for topic into main in acme/tools/app\n\n!3 Topic (topic)\n {LAB}", LAB),
        (f"Merge request !3 created: {LAB}", LAB),
        (f"building...\n{HUB}", HUB),
        (HUB, HUB),
    ],
)
@pytest.mark.parametrize(
    "line", ["./ship.sh", "bash tools/release.sh", "make pr", "npm run ship", "python3 open_pr.py"]
)
def test_a_script_says_so(thread: AtWork, line: str, output: str, url: str) -> None:
    seen = thread.sees(line, (0, output))
    assert (seen.pull_request, seen.url) == (("pr_create",), url)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("cat CHANGELOG.md", f"Created pull request {HUB}"),
        ("git log -1", f"Merge\n\nPull request created: {HUB}\n"),
        ("grep -rn pull docs | tail -1", HUB),
        ("gh pr view", f"title\nurl: {HUB}"),
        ("gh pr list --json url", HUB),
        ("git push", f"remote: View merge request for topic:\nremote:   {LAB}"),
        ("git push", "remote: Create a pull request by visiting:\nremote: https://github.com/acme/app/pull/new/topic"),
        ("./ship.sh", f"A pull request already exists: {HUB}"),
        ("./ship.sh", f"Would have created pull request {HUB} (dry run)"),
        ("./ship.sh", f"could not create: pull request {HUB} is closed"),
        ("./ship.sh", f"topic: {STACK} (updated)"),
        ("./ship.sh", f"{HUB}\nDone in 3 s."),
        ("./ship.sh", f"see {HUB}/files"),
        ("./ship.sh", f"Created pull request {HUB}/files"),
        ("./list.sh", f"{HUB}\nhttps://github.com/acme/app/pull/13"),
        ("pytest -q", f"Created pull request {HUB}\n1 passed"),
        ("make test", f"PASS Created by acme on Monday, pull request {HUB}"),
    ],
)
def test_an_address_alone_says_nothing(thread: AtWork, line: str, output: str) -> None:
    assert thread.sees(line, (0, output)).pull_request == ()


@pytest.mark.parametrize("code", [1, 128])
def test_a_script_that_failed_opened_none(thread: AtWork, code: int) -> None:
    assert thread.sees("./ship.sh", (code, f"Created pull request {HUB}")).pull_request == ()


@pytest.mark.parametrize(
    ("remote", "opened"),
    [
        ("git@github.com:acme/app.git", True),
        ("https://github.com/me/app", True),
        ("ssh://git@work/acme/app.git", True),
        ("../up", True),
        ("https://github.com/acme/other.git", False),
    ],
)
def test_it_is_of_this_repository(thread: AtWork, place: Path, remote: str, opened: bool) -> None:
    """A fork has another owner, and a folder has no name that counts."""
    git(place, "remote", "add", "origin", remote)
    assert (thread.sees("./ship.sh", (0, f"PR created: {HUB}")).pull_request != ()) is opened


def test_it_is_opened_once(thread: AtWork) -> None:
    """Whoever printed the address before: then it was there."""
    assert thread.sees("gh pr view", (0, f"url: {LAB}")).pull_request == ()
    assert thread.sees("./ship.sh", (0, f"Created merge request {LAB}")).pull_request == ()
    assert thread.sees("./ship.sh", (0, f"Created pull request {HUB}")).pull_request == ("pr_create",)
    assert thread.sees("./ship.sh", (0, f"Created pull request {HUB}")).pull_request == ()


@pytest.mark.parametrize(
    ("text", "output", "opened"),
    [
        ("#!/bin/sh\ngit push -q\ngh pr create --fill\n", f"{HUB}\nDone.", True),
        ("#!/bin/sh\ngh pr view --json url -q .url\n", HUB, False),
        ("#!/bin/sh\ngh pr create --fill\n", f"a pull request for branch topic already exists:\n{HUB}", False),
        (
            "#!/usr/bin/env python3\nrequests.post(f'{API}/repos/{R}/pulls', json=body)\n",
            f'{{"html_url": "{HUB}"}}',
            True,
        ),
        ('#!/bin/sh\ncurl -s -X POST -d "$BODY" "$API/repos/acme/app/pulls"\n', f'{{"html_url": "{HUB}"}}', True),
    ],
)
def test_what_the_script_says(thread: AtWork, place: Path, text: str, output: str, opened: bool) -> None:
    script(place, "ship.sh" if "python" not in text else "ship", text)
    line = "./ship" if "python" in text else "./ship.sh"
    assert (thread.sees(line, (0, output)).pull_request != ()) is opened


def test_a_script_that_really_runs(thread: AtWork, place: Path) -> None:
    script(place, "open-pr.sh", f"#!/bin/sh\ngit rev-parse HEAD >/dev/null\necho {HUB}\n")
    seen = thread.runs("./open-pr.sh")
    assert (seen.pull_request, seen.url, seen.agreed) == (("pr_create",), HUB, True)
    assert thread.runs("cat open-pr.sh").pull_request == ()
