"""``rawr watch --thread``: is the thread there? (D1)"""

from rawr.cli.commands.watch import _Listening
from rawr.core.kernel import Taken
from rawr.core.vocabulary.facts import EffectSucceeded, Recorded
from rawr.runtime.supervisor import Silent


async def listed(*lists: str) -> bool:
    """Return True if the thread is said to be missing after these lists of threads, one for each connection."""
    listening = _Listening(Silent(), "4e1")
    for number, threads in enumerate(lists, 1):
        listening.taken(Taken(Recorded(number, 0, "", EffectSucceeded(effect=f":{number}.0", result=threads))))
    return listening.missing.is_set()


async def test_only_the_first_list_counts() -> None:
    """A Codex that was started anew has nothing open yet: the thread is waited for, as without a name."""
    assert await listed("a4e1 b000") is False
    assert await listed("a4e1", "") is False
    assert await listed("b000") is True
    assert await listed("") is True
