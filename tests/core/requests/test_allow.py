"""What a run's own order allows besides the settings (C10)."""

from msgspec.structs import replace

from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import JudgeApproval
from rawr.core.vocabulary.requests import CommandApproval
from tests.core.runs import RULES, in_a_turn

ASKED = facts.RequestReceived(
    request="1/0", turn="T1", question=CommandApproval(command="git commit -m x", cwd="/project")
)


def test_an_order_allows_more_than_the_settings() -> None:
    policy = replace(RULES, full_auto=replace(RULES.full_auto, allow=("npm test",)))
    story = in_a_turn(policy=policy, allow=("git commit",)).tell(ASKED)
    assert [one.allow for one in story.wanted(JudgeApproval)] == [("npm test", "git commit")]
