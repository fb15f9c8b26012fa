"""C10: git says itself where it looks. Asking it runs nothing and cannot be held up, whatever it finds."""

import os
from pathlib import Path

import pytest

from rawr.approvals import Surroundings, judge_command
from rawr.approvals.git import answers
from rawr.approvals.git.answers import git_disagrees, settings_read
from rawr.approvals.places import Places
from rawr.approvals.reach import NOWHERE
from rawr.observe.repository.locating import Repository

from .test_asking import ENV, Repo

pytestmark = pytest.mark.mission("C10")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def places(repo: Repo, **variables: str) -> Places:
    path = tuple(ENV["PATH"].split(os.pathsep))
    return Places(repo.root, Surroundings(home=repo.home, path=path, variables=variables))


def here(repo: Repo) -> Repository:
    return Repository(repo.root, repo.root / ".git", repo.root / ".git")


def asked(repo: Repo) -> list[str]:
    found = places(repo)
    reads = settings_read(repo.root, here(repo), found)
    return [*git_disagrees(repo.root, here(repo), found), *([reads] if isinstance(reads, str) else [])]


RUNS_SOMETHING = """
    core.fsmonitor core.hooksPath core.pager core.sshCommand core.askPass core.editor core.gitProxy
    core.alternateRefsCommand core.attributesFile core.excludesFile pager.config pager.rev-parse alias.config
    alias.rev-parse diff.external diff.x.textconv diff.x.command filter.x.clean filter.x.smudge filter.x.process
    merge.x.driver credential.helper credential.https://x.helper gpg.program gpg.ssh.program gpg.ssh.defaultKeyCommand
    http.proxy remote.origin.url remote.origin.uploadpack remote.origin.receivepack remote.origin.vcs
    remote.origin.promisor extensions.partialClone extensions.refStorage trailer.x.command trailer.x.cmd
    sequence.editor uploadpack.packObjectsHook submodule.x.update protocol.ext.allow trace2.normalTarget
    trace2.eventTarget trace2.perfTarget help.browser browser.x.cmd man.x.cmd web.browser sendemail.smtpserver
    interactive.diffFilter init.templateDir safe.directory include.path log.showSignature hook.x.command hook.x.event
    difftool.x.cmd mergetool.x.cmd gc.recentObjectsHook
    """


@pytest.mark.parametrize("name", RUNS_SOMETHING.split())
def test_no_setting_runs_anything(name: str, repo: Repo) -> None:
    """In the repository, and in the user's own: git only says where it would look."""
    (repo.root / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    for where in ("--local", "--global"):
        repo.git("config", where, name, str(repo.evil))
        repo.git("config", where, "--add", name, f"!{repo.evil}")
    said = asked(repo)
    assert not repo.marker.exists(), said


FILES = ("HEAD", "config", "index", "config.worktree", "packed-refs", "commondir", "info/attributes", "shallow")


@pytest.mark.parametrize("name", FILES)
def test_no_file_holds_it_up(name: str, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe in place of a file, which nobody ever writes to."""
    monkeypatch.setattr(answers, "SECONDS", 0.3)
    file = repo.root / ".git" / name
    file.parent.mkdir(exist_ok=True)
    repo.git("config", "extensions.worktreeConfig", "true")
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    asked(repo)
    repo.judge("git status")


def test_it_says_what_it_takes(repo: Repo) -> None:
    (repo.home / ".gitconfig").write_text("[include]\n\tpath = more\n")
    (repo.home / "more").write_text("[user]\n\tname = Ada\n")
    found = places(repo)
    assert git_disagrees(repo.root, here(repo), found) == []
    reads = settings_read(repo.root, here(repo), found)
    assert not isinstance(reads, str)
    mine = {
        os.path.realpath(file) for file in (repo.home / ".gitconfig", repo.home / "more", repo.root / ".git" / "config")
    }
    assert mine == set(reads.own)


def test_another_repository_or_none(repo: Repo, tmp_path: Path) -> None:
    elsewhere = Repository(tmp_path, tmp_path / ".git", tmp_path / ".git")
    assert "git would take" in git_disagrees(repo.root, elsewhere, places(repo))[0]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "takes no repository here" in git_disagrees(empty, elsewhere, places(repo))[0]
    # The environment that the command will have counts, as git sees it.
    src = repo.root / "src"
    src.mkdir()
    assert git_disagrees(src, here(repo), places(repo)) == []
    assert git_disagrees(src, here(repo), places(repo, GIT_CEILING_DIRECTORIES=str(repo.root))) != []


def test_an_approval_needs_gits_own_word(repo: Repo) -> None:
    src = repo.root / "src"
    src.mkdir()
    env = {"HOME": str(repo.home), "PATH": ENV["PATH"]}
    for more, safe in (({}, True), ({"GIT_CEILING_DIRECTORIES": str(repo.root)}, False)):
        around = Surroundings.read({**env, **more})
        judged = judge_command("git log", cwd=src, workspace=repo.root, around=around, reach=NOWHERE)
        assert judged.safe is safe, judged.reasons


def test_settings_that_rawr_did_not_expect(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own idea of where git keeps settings is not git's either."""
    assert repo.judge("git status").safe
    more = repo.home / "elsewhere"
    more.write_text("[core]\n\tpager = less\n")
    reads = answers.Reads(own=(str(more),))
    monkeypatch.setattr("rawr.approvals.git.repository.settings_read", lambda *_: reads)
    assert "git also takes settings from" in repo.judge("git status").reasons[0]
    system = answers.Reads(system=(str(more),))
    monkeypatch.setattr("rawr.approvals.git.repository.settings_read", lambda *_: system)
    assert repo.judge("git status").safe, "the system's are read where they are"
    more.write_text(f"[core]\n\tfsmonitor = {repo.root}/evil.sh\n")
    assert not repo.judge("git status").safe
