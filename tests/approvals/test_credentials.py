"""C10: what holds credentials is nobody's to read unasked, also where it lies in the workspace."""

import os
import subprocess
from pathlib import Path

import pytest

from rawr.approvals import Judgment, Rules, Surroundings, judge_changes, judge_command
from rawr.approvals.credentials import named_secret, suspect

from .corpus import CREDENTIALS, GIT_SHOWS

SECRETS = (
    ".env", ".env.local", ".env.production", ".env.test.local", ".envrc", ".env~", ".env.bak", "prod.env", ".ENV",
    "auth.json", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".htpasswd",
    "id_rsa", "id_ed25519", "id_ecdsa_sk", "work_id_rsa", "deploy_ed25519", "id_rsa.old", "a.pem", "a.key", "a.p12",
    "a.pfx", "a.ppk", "a.jks", "a.kdbx", "terraform.tfstate", "secrets.yml", "credentials.json", ".bash_history",
    ".ssh/config", ".ssh/x/y", ".aws/credentials", ".gnupg/x", ".docker/config.json", ".kube/config",
    ".config/gh/hosts.yml", ".cargo/credentials.toml", ".envrc.local", ".\uff45nv",
    ".terraform.d/credentials.tfrc.json", ".terraformrc", ".config/gcloud/credentials.db", ".boto", ".s3cfg",
    ".vault-token", ".config/op/config", ".age/key", ".config/sops/age/keys.txt", "sops/age/keys.txt",
    ".config/git/credentials", ".config/stripe/config.toml", ".pip/pip.conf", ".subversion/auth/svn.simple/x",
    ".huggingface/token", ".fly/config.yml",
)  # fmt: skip
PLAIN = (
    ".env.example", ".env.sample", ".env.template", ".env.dist", ".env.production.example", "env.py", "environment.ts",
    ".environment", "id_rsa.pub", "id_ed25519.pub", "auth.py", "auth.jsonc", "package.json", "keys.py", "key",
    "pem.txt",
    "secrets.py", ".config/app.toml", ".npmignore", ".dockerignore", "docker/config.json", "src/ssh/client.py",
    "tests/credentials.py", "README.md", "monkey.ts", "rsa.py", "keys.txt", "src/keys.txt", "package/keys.md",
    "age/README.md", "terraform.tf", ".config/app/settings.json",
)  # fmt: skip


@pytest.mark.parametrize("path", SECRETS)
def test_names_of_credentials(path: str) -> None:
    assert named_secret(path.split("/"))
    assert named_secret(("deep", *path.split("/")))
    assert suspect(path.encode())
    assert suspect(f"deep/{path}".encode())


@pytest.mark.parametrize("path", PLAIN)
def test_other_names(path: str) -> None:
    assert not named_secret(path.split("/"))


class Project:
    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.codex = folder / "workspace", folder / "home", folder / "workspace" / "own"
        for place in (self.root / "src", self.home / ".ssh", self.codex):
            place.mkdir(parents=True)
        (self.root / "src" / "app.py").write_text("x\n")
        (self.home / ".ssh" / "id_rsa").write_text("secret\n")
        (self.codex / "sessions.json").write_text("secret\n")
        self.git("init", "-q", "--template=")

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *identity, *words], cwd=self.root, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def commit(self, *files: str) -> None:
        self.git("add", "-f", "--", *files)
        self.git("commit", "-q", "-m", "x")

    def write(self, path: str, text: str = "TOKEN=x\n") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def judge(self, line: str, **rules: tuple[str, ...]) -> Judgment:
        around = Surroundings(home=self.home, path=(str(self.home.parent / "programs"),))
        return judge_command(
            line, cwd=self.root, workspace=self.root, around=around, rules=Rules(**rules), protected=(self.codex,)
        )

    def safe(self, line: str, **rules: tuple[str, ...]) -> bool:
        return self.judge(line, **rules).safe


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path.resolve())


@pytest.mark.mission("C10")
def test_no_line_of_the_corpus_reads_them(project: Project) -> None:
    for name in (".env", ".npmrc", "auth.json", "id_rsa", ".ssh/id_rsa", "config/.env", "server.pem"):
        project.write(name)
    assert len(CREDENTIALS) >= 140
    assert [line for line in CREDENTIALS if project.safe(line)] == []


@pytest.mark.mission("C10")
def test_another_name_for_the_same_file(project: Project) -> None:
    project.write(".env")
    (project.root / "plain").symlink_to(".env")
    (project.root / "folder").symlink_to("own")
    (project.root / "src" / "up").symlink_to("..")
    (project.root / "hard").hardlink_to(project.home / ".ssh" / "id_rsa")
    (project.root / "src" / "hard").hardlink_to(project.root / ".env")
    for line in (
        "cat plain", "cat src/up/.env", "cat src/../plain", "cat own/sessions.json", "cat folder/sessions.json",
        "cat hard", "cat src/hard", "cat h*", "cat pla?n", "cat own/*", "grep -r x own", "grep -r x folder", "rg x own",
        "cat < plain", "cp plain new", "cp src/app.py own/x", "touch own/x", "head src/*", "cat -- plain",
    ):  # fmt: skip
        assert not project.safe(line), line
    assert project.safe("cat src/app.py")
    assert project.safe("ls -la own .env plain")


def test_folders_are_searched_where_there_is_nothing_to_hide(project: Project) -> None:
    project.codex.joinpath("sessions.json").unlink()
    project.codex.rmdir()
    for line in (
        "grep -r x .",
        "grep -rn x",
        "rg x",
        "rg --hidden x",
        "rg -uuu x",
        "rg x src",
        "git grep --untracked x",
    ):
        assert project.safe(line), line
    project.write(".env")
    for line in ("grep -r x .", "rg --hidden x", "rg -uu x", "rg -. x", "rg -g '.*' x", "rg -t all x"):
        assert not project.safe(line), line
    for line in (
        "rg x", "rg -t py x", "rg -g '*.py' x", "rg -u x", "grep -r x src", "grep -rn --include='*.py' x .",
        "rg x src -.",
        "rg --files --hidden", "find . -type f", "ls -laR", "tree -a", "fd -H x", "du -a", "grep x src/app.py",
    ):  # fmt: skip
        assert project.safe(line), line
    project.write("config/auth.json")
    assert not project.safe("rg x")
    assert not project.safe("rg x config")
    assert project.safe("rg x src")
    assert project.safe("rg -g '*.py' x")


@pytest.mark.parametrize("ignore", [".gitignore", ".ignore", ".rgignore", "src/.gitignore", ".git/info/exclude"])
def test_a_hidden_file_that_an_ignore_file_shows_again(ignore: str, project: Project) -> None:
    project.write("src/.env")
    project.write(ignore, "!.env.example\n!keep\n")
    assert project.safe("rg x src")
    project.write(ignore, "*\n!.env\n")
    assert not project.safe("rg x src")


def test_what_packages_bring_along(project: Project) -> None:
    for name in ("web/node_modules/x/.env", ".venv/lib/python3/site-packages/certifi/cacert.pem"):
        project.write(name)
    assert project.safe("grep -r x src web .venv")
    assert not project.safe("cat web/node_modules/x/.env"), "by name it is as any other"


def test_certificates_are_public(project: Project) -> None:
    project.write("certs/ca.pem", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n")
    assert project.safe("cat certs/ca.pem")
    assert project.safe("grep -r x certs")
    for kind in ("PRIVATE KEY", "RSA PRIVATE KEY"):
        project.write("certs/ca.pem", f"-----BEGIN CERTIFICATE-----\nabc\n-----BEGIN {kind}-----\n")
        assert not project.safe("cat certs/ca.pem")


@pytest.mark.mission("C10")
def test_what_git_would_show(project: Project) -> None:
    project.write("config/.env")
    project.commit("src", "config")
    project.write("config/.env", "TOKEN=y\n")
    project.write("src/app.py", "y\n")
    for line in (
        "git diff", "git show", "git log -p", "git log -p -1", "git grep TOKEN", "git show HEAD", "git diff HEAD",
        "git diff --cached", "git diff -- config", "git diff config", "git log -p -- .", "git log -S TOKEN",
        "git log -G TOKEN", "git stash show -p", "git status -v", "git cat-file -p HEAD", "git diff-index -p HEAD",
        "git log --cc", "git log -U5", "git show --stat -p", "git diff -- '*'", "git diff -- 'config/*'",
        "git diff -- ':(glob)**'", "git diff -- 'c?nfig'", "git grep x -- '[c]onfig'", "git diff -- src/../config",
        "git -C config diff", "cd config && git diff", "git log --check", "git diff --word-diff --stat",
    ):  # fmt: skip
        assert not project.safe(line), line
    for line in (
        "git status", "git diff --stat", "git diff --name-only", "git log", "git log --oneline", "git log --stat",
        "git show --stat", "git show --no-patch", "git diff -- src", "git diff src", "git diff HEAD -- src/app.py",
        "git log -p -- src", "git show HEAD:src/app.py", "git grep x -- src", "git grep x -- '*.py'",
        "git blame src/app.py", "git ls-files", "git ls-tree -r HEAD", "git cat-file -t HEAD",
        "git check-ignore -v config/.env",
    ):  # fmt: skip
        assert project.safe(line), (line, project.judge(line).reasons)


@pytest.fixture
def tracking(project: Project) -> Project:
    """``.env`` and ``.ssh/config`` are tracked, on another branch with another text, and named by tags."""
    project.write("src/a.txt", "a\n")
    project.write("notes.txt", "n\n")
    project.commit("src", "notes.txt")
    project.git("branch", "clean")
    project.git("checkout", "-q", "-b", "other")
    project.write(".env", "TOKEN=other\n")
    project.commit(".env")
    project.git("checkout", "-q", "clean")
    project.git("checkout", "-q", "-b", "work")
    project.write(".env", "TOKEN=1\n")
    project.write(".ssh/config", "TOKEN=ssh\n")
    project.commit(".env", ".ssh")
    project.write(".env", "TOKEN=2\n")
    project.write("src/a.txt", "b\n")
    project.commit(".env", "src")
    project.git("tag", "file", "HEAD:.env")
    project.git("tag", "-a", "-m", "x", "noted", "HEAD:.env")
    project.git("tag", "folder", "HEAD:.ssh")
    project.git("tag", "-a", "-m", "x", "v1")
    project.write(".env", "TOKEN=3\n")
    project.git("stash")
    return project


def _filled(line: str, project: Project) -> str:
    blob, tree, other = project.git("rev-parse", "other:.env", "work:.ssh", "other").split()
    return line.replace("BLOB", blob).replace("SHORT", blob[:8]).replace("TREE", tree).replace("OTHER", other[:9])


@pytest.mark.mission("C10")
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_no_line_of_the_corpus_reads_tracked_ones_through_git(*, packed: bool, tracking: Project) -> None:
    if packed:
        tracking.git("gc", "-q", "--prune=now")
    assert [line for line in GIT_SHOWS if tracking.safe(_filled(line, tracking))] == []


@pytest.mark.mission("C10")
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_on_a_branch_that_does_not_track_them(*, packed: bool, tracking: Project) -> None:
    tracking.git("checkout", "-q", "clean")
    if packed:
        tracking.git("gc", "-q", "--prune=now")
    for line in (
        "git show other", "git log -p other", "git grep TOKEN other", "git diff other", "git diff clean..other",
        "git show OTHER", "git show BLOB", "git show SHORT", "git show -s BLOB", "git cat-file -p BLOB", "git show :/x",
        "git show file", "git show --stat noted", "git diff TREE clean:src", "git show TREE:config", "git log -p --all",
        "git stash show -p", "git show --tags -s", "git show stash", "git show 'work@{0}'", "git diff work -- .",
        "git grep '' folder",
    ):  # fmt: skip
        assert not tracking.safe(_filled(line, tracking)), line
    for line in (
        "git show", "git diff", "git log -p", "git grep x", "git show HEAD", "git show clean", "git show --stat other",
        "git diff other -- src", "git log -p other -- src", "git grep x other -- src", "git show other:src/a.txt",
        "git show 'HEAD@{0}'", "git log -p -1", "git show HEAD:src",
    ):  # fmt: skip
        assert tracking.safe(line), (line, tracking.judge(line).reasons)


def test_what_stays_safe_beside_tracked_ones(tracking: Project) -> None:
    for line in (
        "git status", "git log", "git log --oneline", "git log --stat", "git diff --stat", "git show --stat HEAD",
        "git show HEAD --stat", "git show HEAD:src/a.txt", "git show HEAD:src", "git show :src/a.txt",
        "git diff -- src",
        "git diff src", "git diff HEAD~1 -- src", "git show HEAD -- src", "git show v1 -- src", "git show -s v1",
        "git stash list", "git grep x -- src", "git grep x HEAD -- src", "git grep x HEAD:src", "git blame src/a.txt",
        "git cat-file -p HEAD:src/a.txt", "git cat-file -t HEAD:.env", "git diff HEAD:notes.txt HEAD:src/a.txt",
        "git log --oneline -- .env", "git show 'HEAD@{1}' -- src", "git reflog",
        "git ls-files -s", "git ls-files --eol", "git diff-tree --no-commit-id --name-only -r HEAD",
    ):  # fmt: skip
        assert tracking.safe(line), (line, tracking.judge(line).reasons)


def test_a_commit_that_takes_them_out(tracking: Project) -> None:
    tracking.git("rm", "-rq", "--cached", ".env", ".ssh")
    tracking.git("commit", "-q", "-m", "out")
    for line in ("git show", "git show HEAD", "git diff HEAD~1", "git diff-tree -p HEAD", "git show 'HEAD@{0}'"):
        assert not tracking.safe(line), line
    assert tracking.safe("git diff")
    assert tracking.safe("git show HEAD -- src")


def test_objects_that_cannot_be_read(tracking: Project) -> None:
    tracking.git("checkout", "-q", "clean")
    tracking.git("gc", "-q", "--prune=now")
    assert tracking.safe("git show")
    for pack in (tracking.root / ".git" / "objects" / "pack").glob("*.idx"):
        pack.chmod(0o600)
        pack.write_bytes(b"x")
    assert not tracking.safe("git show")
    assert tracking.safe("git diff"), "the index is enough"
    (tracking.root / ".git" / "index").write_bytes(b"x")
    assert not tracking.safe("git diff")


def test_objects_in_the_place_of_others(tracking: Project) -> None:
    tracking.git("checkout", "-q", "clean")
    assert tracking.safe("git show")
    tracking.git("replace", "clean", "other")
    assert not tracking.safe("git show")


def test_without_any_history_of_credentials_all_is_as_it_was(project: Project) -> None:
    project.write("notes.txt")
    project.commit("src", "notes.txt")
    project.write("notes.txt", "more\n")
    project.commit("notes.txt")
    project.git("tag", "file", "HEAD:notes.txt")
    for line in (
        "git show", "git show HEAD~1", "git show :/x", "git show file", "git show 'HEAD@{yesterday}'",
        "git show -s file",
        "git log -p --all", "git grep x HEAD", "git diff HEAD:src HEAD~1:src", "git cat-file -p file", "git reflog -p",
        "git diff 'HEAD^{tree}'", "git log -L 1,1:notes.txt", "git show --tags", "git diff '*.txt'", "git status -v",
    ):  # fmt: skip
        assert project.safe(line), (line, project.judge(line).reasons)


def test_folders_compared_beside_the_repository(project: Project) -> None:
    """Then git goes through them as they are, with what is not tracked."""
    project.commit("src")
    project.write(".env")
    for line in ("git diff . /usr/share/doc", "git diff /usr/include ."):
        assert not project.safe(line), line


def test_addresses_with_passwords(project: Project) -> None:
    lines = ("git remote -v", "git remote get-url origin", "git config --get remote.origin.url", "cat .git/config")
    project.git("remote", "add", "origin", "https://example.org/x.git")
    assert all(map(project.safe, lines))
    assert project.safe("grep -r x .git src")
    project.git("remote", "set-url", "origin", "https://ada:s3cret@example.org/x.git")
    assert not any(map(project.safe, (*lines, "grep -r x .", "rg --hidden x .")))
    assert project.safe("git status")
    project.git("remote", "set-url", "origin", "git@example.org:x.git")
    assert all(map(project.safe, lines))
    (project.home / ".gitconfig").write_text('[url "https://x:s3cret@example.org/"]\n\tinsteadOf = git@example.org:\n')
    assert not any(map(project.safe, lines[:3]))


def test_who_wants_it_can_have_it(project: Project) -> None:
    project.write(".env")
    project.write("web/.env.local")
    project.commit(".env")
    project.write(".env", "TOKEN=z\n")
    rules = {"not_secret": (".env", "web/.env.*")}
    for line in ("cat .env", "git diff", "cat web/.env.local", "git show HEAD:.env"):
        assert not project.safe(line), line
        assert project.safe(line, **rules), line
    for line in ("cat .env.local", "cat .npmrc", "cat own/sessions.json", "cat api/.env.local"):
        assert not project.safe(line, **rules), line
    assert not project.safe("cat own/sessions.json", not_secret=("*", "own/*")), "Codex's home is nobody's to open"


@pytest.mark.mission("C10")
@pytest.mark.parametrize(
    "path", [".env", "config/.env.production", ".npmrc", "auth.json", ".ssh/config", "a.pem", "own/x"]
)
def test_changes_of_them(path: str, project: Project) -> None:
    def judge(path: str, **rules: tuple[str, ...]) -> bool:
        around = Surroundings(home=project.home)
        return judge_changes(
            [path], workspace=project.root, around=around, rules=Rules(**rules), protected=(project.codex,)
        ).safe

    assert not judge(path)
    assert judge(f"{path}.md") is not path.startswith((".ssh", "own", ".env", "config"))
    assert judge(path, not_secret=(path,)) is not path.startswith("own")
    (project.root / "other").symlink_to(path)
    assert not judge("other")


def test_a_workspace_that_is_codexs_home(project: Project) -> None:
    around, root = Surroundings(home=project.home), project.root
    judged = judge_command("cat src/app.py", cwd=root, workspace=root, around=around, protected=(root,))
    assert not judged.safe
    assert not judge_changes(["src/app.py"], workspace=root, around=around, protected=(root,)).safe


def test_what_does_not_end(project: Project) -> None:
    os.mkfifo(project.root / "pipe")
    (project.root / "link").symlink_to("pipe")
    for line in ("cat pipe", "cat link", "head -1 pipe", "cat < pipe", "cat p*", "grep x pipe"):
        assert not project.safe(line), line
    assert project.safe("ls -l pipe")


def test_the_configuration_of_rg(project: Project, tmp_path: Path) -> None:
    project.write(".env")
    config = tmp_path / "rc"

    def judge(text: str, line: str = "rg x src/app.py") -> bool:
        config.write_text(text)
        around = Surroundings(
            home=project.home,
            path=(str(project.home.parent / "programs"),),
            variables={"RIPGREP_CONFIG_PATH": str(config)},
        )
        return judge_command(line, cwd=project.root, workspace=project.root, around=around).safe

    assert judge("# mine\n--smart-case\n--max-columns=150\n--glob=!dist\n")
    for text in ("--pre=python3 -m tidy\n", "--follow\n", "--hostname-bin=./x\n", "--search-zip\n"):
        assert not judge(text), text
        assert judge(text, "rg --no-config x src/app.py")
    assert judge("--hidden\n", "rg x src")
    assert not judge("--hidden\n", "rg x")
