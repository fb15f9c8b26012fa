"""A step of guidance: whom it asks, and which answer counts (C15)."""

from rawr.core.policy.models import Models
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.reasons import Reason
from tests.core.guidance.stories import PROMPT, guided, plans, routes


def test_the_runs_own_models_are_asked() -> None:
    """C15: what the environment named when it was ordered."""
    [question] = guided(models=("ollama:llama3.2",)).wanted(AskModel)
    assert question.models == ("ollama:llama3.2",)
    assert guided().wanted(AskModel)[0].models == Models().order


def test_an_answer_of_the_wrong_kind_is_none() -> None:
    story = guided().hears(plans())
    assert story.sent == [PROMPT]
    assert story.record(Reason.GUIDANCE_ROUTED_MESSAGE).evidence["by"] == "rules"


def test_a_second_answer_is_dropped() -> None:
    story = guided().hears(routes("plan"))
    question = next(one for one in story.effects if isinstance(one.effect, AskModel))
    story.tell(facts.ModelAnswered(effect=question.id, signature="guidance_router", opinion=routes("respond")))
    assert story.stage == "plan"
    assert Reason.IGNORED_STALE_OPINION in story.reasons()
