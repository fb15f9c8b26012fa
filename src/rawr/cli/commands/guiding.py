"""Decides if a run is guided (C15), and by which model: a flag or a task's own setting, or else the environment."""

from collections.abc import Mapping

from msgspec.structs import replace

from rawr.core.vocabulary.order import Order
from rawr.errors import ConfigError, OutsideError

MODE = "OPENAGENTS_GUIDANCE_MODE"
MODEL = "OPENAGENTS_GUIDANCE_MODEL"
ON = "demo"


def guided(order: Order, *, asked: bool | None, goal: str, env: Mapping[str, str]) -> Order:
    """The order with its guidance. ``goal`` stays the goal if the message itself only says to go."""
    if not (_mode(env) if asked is None else asked):
        if goal:
            raise ConfigError("--goal is only for guided runs.", way_out="Add --guidance, or omit it.")
        return order
    return replace(
        order,
        guidance=True,
        goal=goal or order.goal,
        prompt=order.goal if goal and goal != order.goal else "",
        models=model_of(env),
    )


def _mode(env: Mapping[str, str]) -> bool:
    said = env.get(MODE, "").strip().lower()
    if said not in ("", "off", ON):
        raise ConfigError(f"{MODE} is {said!r}.", way_out=f"Set it to {ON}, or unset it.")
    return said == ON


def model_of(env: Mapping[str, str]) -> tuple[str, ...]:
    """The model that the environment names, if any."""
    said = env.get(MODEL, "").strip()
    if not said:
        return ()
    try:
        return (model_name(said),)
    except OutsideError as error:
        raise ConfigError(f"{MODEL}: {error.message}", way_out=error.way_out) from error


def model_name(text: str) -> str:
    """The name as rawr writes it. Raises ``OutsideError`` if it is not a name."""
    from rawr.models.named import parse_model

    return str(parse_model(text))
