"""A thread at work in a folder, with a watch beside it: its commands really run."""

import subprocess
from pathlib import Path

from rawr.core.real import Real
from rawr.core.vocabulary.effects import ObserveCommand, ObserveTree, WatchRepository
from rawr.core.vocabulary.facts import CommandObserved, TreeSeen
from rawr.observe.watching import RepositoryWatch

WHO = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *WHO, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


class AtWork:
    def __init__(self, watch: RepositoryWatch, folder: Path, thread: str = "a") -> None:
        self.watch = watch
        self.folder = folder
        self.thread = thread
        self.turns = 0
        self.commits: list[str] = []
        """The subjects of those that were reported for this thread."""

    def joins(self, *, turn: bool = False, since: int = 0) -> "AtWork":
        effect = WatchRepository(cwd=str(self.folder), turn=turn, files=True, since=since)
        assert self.watch.look(Real(effect), thread=self.thread) == ()
        return self

    def begins(self) -> "AtWork":
        self.turns += 1
        return self.joins(turn=True)

    def runs(self, line: str) -> CommandObserved:
        return self.sees(line, self.does(line))

    def does(self, line: str) -> tuple[int, str]:
        """Run it, and do not look yet: the exit code and the output."""
        names = " ".join(f"'{word}'" for word in WHO)
        whole = f'git() {{ command git {names} "$@"; }}; {line}'
        ran = subprocess.run(["bash", "-c", whole], cwd=self.folder, check=False, capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr

    def sees(self, line: str, ended: tuple[int, str]) -> CommandObserved:
        code, output = ended
        effect = ObserveCommand(
            turn=f"t{self.turns}", item="i", command=line, cwd=str(self.folder), exit_code=code, output=output
        )
        (seen,) = self.watch.look(Real(effect), thread=self.thread)
        assert isinstance(seen, CommandObserved)
        self.commits += [one.subject for one in seen.commits]
        return seen

    def ends(self, *, acted: bool = True) -> TreeSeen:
        """The turn ends."""
        effect = ObserveTree(turn=f"t{self.turns}", cwd=str(self.folder), commits=True, files=acted)
        found = self.watch.look(Real(effect), thread=self.thread)
        self.commits += [commit.subject for one in found if isinstance(one, CommandObserved) for commit in one.commits]
        trees = [one for one in found if isinstance(one, TreeSeen)]
        return trees[0] if trees else TreeSeen(turn="", digest="")

    def changed(self) -> dict[str, str]:
        """The turn ends; the files that it wrote, and how."""
        root = f"{self.folder}/"
        return {
            one.path.removeprefix(root): f"to {one.moved_to.removeprefix(root)}" if one.moved_to else one.kind
            for one in self.ends().changes
        }
