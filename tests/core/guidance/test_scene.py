"""What a model is told of the run that it guides (C15)."""

from rawr.core.guidance.scene import INPUTS
from rawr.core.vocabulary import facts
from rawr.core.vocabulary.effects import AskModel
from rawr.core.vocabulary.order import Order
from tests.core.guidance.stories import SEEN, Guided, after_a_turn, decides, directs, guided, routes
from tests.core.runs import RULES


def test_every_question_has_the_fields_of_its_signature() -> None:
    stories = (guided("go").well(), after_a_turn().well(), guided().hears(routes("plan")))
    seen = {one.signature: set(one.inputs) for story in stories for one in story.wanted(AskModel)}
    assert seen == {name: set(fields) for name, fields in INPUTS.items()}


def test_each_step_of_super_mode_has_what_came_before() -> None:
    understanding, planning, directive = guided("go").well().wanted(AskModel)
    assert understanding.inputs["repository"] == SEEN
    assert planning.inputs["requirements"] == "- “Port the parser.”\n- “Keep the tests.”"
    assert directive.inputs["plan"] == "- “Read it.”\n- “Port it.”"


def test_standing_directives_are_there_verbatim() -> None:
    """C8"""
    story = Guided(policy=RULES)
    story.tell(facts.PinSubmitted(text="Never touch  the\tlicence."))
    story.tell(facts.RunSubmitted(order=Order(goal="Ship it well.", prompt="go", guidance=True)))
    story.well()
    assert "- Never touch  the\tlicence.\n" in story.sent[0]


def test_directives_given_before_are_told_to_the_model_and_bounded() -> None:
    story = after_a_turn()
    for n in range(8):
        story.hears(decides()).sees().hears(directs(f"Do part {n}."))
        story.works(f"W{n}", commands=(f"make {n}",))
    assert story.run.guidance is not None
    assert story.run.guidance.directives == tuple(f"Do part {n}." for n in range(3, 8))
