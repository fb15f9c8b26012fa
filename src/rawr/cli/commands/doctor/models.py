"""Which model would be asked typed questions, and what happens if none can be. None is required."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from msgspec.structs import replace

from rawr.cli.commands.doctor.check import Check
from rawr.cli.commands.guiding import MODE, MODEL, guided, model_of
from rawr.cli.places import Places
from rawr.core.policy.models import Models
from rawr.core.policy.policy import Policy
from rawr.core.policy.tiers import TIERS
from rawr.core.vocabulary.order import Order
from rawr.errors import ConfigError
from rawr.models.probing import import_problem, installed, probe, probe_order


def model_checks(places: Places, *, no_codex: str, env: Mapping[str, str]) -> Iterator[Check]:
    """Which model would be asked typed questions. None is required."""
    policy = places.loaded.policy
    guidance, problems = _guidance(env)
    yield from problems
    by_rules = ("guided runs follow the rules",) if guidance.guidance else ()
    effects = (*_without_answer(policy), *by_rules)
    unusable = _dspy(wanted=bool(effects))
    if unusable is not None:
        detail, way_out = unusable
        yield Check("models", "warn" if effects else "ok", f"{detail}: {', '.join(effects) or 'rules decide'}", way_out)
        return
    for name in guidance.models:
        one = probe(name, policy.models, no_codex=no_codex, env=env)
        use = "is what guidance would ask" if one.answers else "is not available to guidance"
        yield Check("models", "ok" if one.answers else "warn", f"{name} ({MODEL}) {use}: {one.detail}")
    if guidance.guidance and not guidance.models:
        yield Check("models", "ok", f"guidance is on ({MODE}) and asks the models in the order")
    if guidance.models:
        effects = tuple(_without_answer(policy))
    yield from _order(policy.models, effects, no_codex=no_codex, env=env)


def _order(settings: Models, effects: tuple[str, ...], *, no_codex: str, env: Mapping[str, str]) -> Iterator[Check]:
    """The models of the order. ``effects`` is what happens if none of them answers; empty if nothing asks them."""
    if not settings.order and effects:
        way_out = 'Name one in [rawr_models], such as order = ["codex"].'
        yield Check("models", "warn", f"the order is empty, so rawr asks no model: {', '.join(effects)}", way_out)
    found = probe_order(settings, no_codex=no_codex, env=env)
    chosen = any(one.chosen for one in found)
    for one in found:
        use = "would be asked" if one.chosen else "is next in line" if one.answers else "is not available"
        yield Check("models", "ok" if chosen or not effects else "warn", f"{one.model} {use}: {one.detail}")
    if found and effects and not chosen:
        yield Check("models", "warn", f"no model in the order is available now: {', '.join(effects)}")
    if not effects:
        yield Check("models", "ok", "no setting uses a model: see [rawr_models] and decision_prompt_path in the config")


def _dspy(*, wanted: bool) -> tuple[str, str] | None:
    """What prevents rawr from asking any model, with the way out."""
    if not installed():
        return "DSPy is not installed, so rawr cannot ask a model", "To use one: pip install 'codex-rawr[llm]'"
    problem = import_problem() if wanted else ""
    if problem:
        detail = f"DSPy is installed but cannot be imported ({problem}), so rawr cannot ask a model"
        return detail, "Reinstall it: pip uninstall -y dspy, then pip install 'codex-rawr[llm]'"
    return None


def _guidance(env: Mapping[str, str]) -> tuple[Order, list[Check]]:
    """What the environment says about guidance, as ``rawr run`` reads it, in an empty order."""
    order, problems = Order(goal="-"), []
    try:
        order = replace(order, models=model_of(env))
    except ConfigError as error:
        problems.append(Check("models", "warn", error.message, error.way_out))
    try:
        mode = guided(order, asked=None, goal="", env={MODE: env.get(MODE, "")})
        order = replace(order, guidance=mode.guidance)
    except ConfigError as error:
        problems.append(Check("models", "warn", error.message, error.way_out))
    return order, problems


def _without_answer(policy: Policy) -> Iterator[str]:
    """What happens if a model is wanted and none answers, one text for each part that asks; none if nothing asks."""
    models, rules = policy.models, policy.compaction
    if models.decisions == "model":
        yield "runs pause after each turn" if models.on_error == "pause" else "runs follow the rules"
    if models.questions == "model":
        yield "the agent's questions wait for you"
    if any(rules.acting(tier).decision_prompt for tier in TIERS):
        match models.judgment_on_error:
            case "tier":
                yield "compactions wait in early and ready, and go ahead in asap"
            case "defer":
                yield "compactions wait"
            case "compact":
                yield "compactions go ahead"
            case _ as never:
                assert_never(never)
