"""Facts told again lead to the same; where they do not, the replay says where (C17)."""

from msgspec import structs
from msgspec.structs import replace

from rawr.core.kernel import Kernel, Taken
from rawr.core.policy.policy import Limits, Policy
from rawr.core.replay import Divergence, Replay, replay
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import Intended, Notify, StartTurn
from tests.core.samples import AT, QUIET

STORY: tuple[tuple[str, facts.AnyFact], ...] = (
    ("", facts.ServerConnected(epoch=1, user_agent="c", codex_home="/c", transport="stdio")),
    ("a", facts.ThreadOpened(cwd="/project", ours=True)),
    ("b", facts.ThreadOpened(cwd="/else", ours=True)),
    ("a", facts.UserSubmitted(text="go")),
    ("b", facts.UserSubmitted(text="stay")),
    ("a", facts.TurnStarted(turn="T1")),
    ("a", facts.EffectSucceeded(effect="a:4.0", result="T1")),
    ("a", facts.UserSubmitted(text="and then")),
    ("a", facts.TurnCompleted(turn="T1", status="completed")),
)


def told(policy: Policy | None = None) -> list[Taken]:
    kernel = Kernel(policy or QUIET)
    return [kernel.take(thread, fact, at=AT + number) for number, (thread, fact) in enumerate(STORY)]


def again(story: list[Taken], policy: Policy | None = None) -> Replay:
    return replay(
        [one.recorded for one in story],
        decisions={one.recorded.seq: one.decisions for one in story},
        effects={one.recorded.seq: one.effects for one in story},
        policy=policy or QUIET,
    )


def test_the_same_facts_lead_to_the_same() -> None:
    result = again(told())
    assert result == Replay(len(STORY), ())
    assert result.same


def test_one_threads_story_can_be_told_without_the_others() -> None:
    assert again([one for one in told() if one.recorded.thread == "a"]) == Replay(6, ())


def test_an_effect_that_does_not_follow_is_found() -> None:
    story = told()
    forged = (Intended("a:4.0", "a", StartTurn(text="stop")),)
    real = story[3].effects
    story[3] = replace(story[3], effects=forged)
    assert again(story) == Replay(len(STORY), (Divergence(4, "effects", forged, real),))


def test_a_notice_may_be_worded_anew() -> None:
    """What a person reads may improve. That they are told, and how gravely, may not change."""
    taken = Kernel(QUIET).take("a", facts.CompactionSubmitted(bare=True), at=AT)
    [notice] = taken.effects
    assert isinstance(notice.effect, Notify)
    reworded = replace(notice, effect=Notify(level=notice.effect.level, text="Codex is gone."))
    graver = replace(notice, effect=Notify(level="error", text=notice.effect.text))
    assert again([replace(taken, effects=(reworded,))]).same
    assert again([replace(taken, effects=(graver,))]).divergences == (Divergence(1, "effects", (graver,), (notice,)),)
    assert not again([replace(taken, effects=())]).same


def test_a_decision_that_is_missing_is_found() -> None:
    story = told()
    real = story[7].decisions
    story[7] = replace(story[7], decisions=())
    assert again(story) == Replay(len(STORY), (Divergence(8, "decisions", (), real),))


def test_a_fact_that_was_changed_shows_in_what_followed() -> None:
    story = told()
    changed = replace(story[8].recorded, fact=facts.TurnCompleted(turn="T0", status="completed"))
    story[8] = replace(story[8], recorded=changed)
    result = again(story)
    assert [(one.seq, one.what) for one in result.divergences] == [(9, "decisions"), (9, "effects")]
    assert not result.same


def test_another_policy_is_another_decision() -> None:
    result = again(told(), structs.replace(QUIET, limits=Limits(person=5)))
    assert {one.what for one in result.divergences} == {"decisions"}
