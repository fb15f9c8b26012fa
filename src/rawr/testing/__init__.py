"""Test your own policies on a real Codex with a scripted model, without a network and without an account.

Names are loaded on first use, so importing this package costs nothing. The guard against stray network calls is
``rawr.testing.network_guard.network_guard``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rawr.testing.clock import VirtualClock
    from rawr.testing.codex_home import CodexHome
    from rawr.testing.model_request import ModelRequest, ToolOutput
    from rawr.testing.network_guard import NetworkGuard, OutsideNetwork
    from rawr.testing.playback import ScenarioMismatch
    from rawr.testing.real_codex import ScriptedCodex, end_daemons, find_codex, scripted_codex
    from rawr.testing.scenario import (
        Ask,
        Call,
        Cut,
        Fail,
        Garbage,
        Hang,
        HttpError,
        Option,
        Patch,
        Plan,
        PlanStep,
        Question,
        Raw,
        Reply,
        Run,
        Say,
        Scenario,
        Think,
        Usage,
        When,
    )
    from rawr.testing.scenario_file import load_scenario, parse_scenario
    from rawr.testing.scripted_model import ScriptedModel

__all__ = [
    "Ask",
    "Call",
    "CodexHome",
    "Cut",
    "Fail",
    "Garbage",
    "Hang",
    "HttpError",
    "ModelRequest",
    "NetworkGuard",
    "Option",
    "OutsideNetwork",
    "Patch",
    "Plan",
    "PlanStep",
    "Question",
    "Raw",
    "Reply",
    "Run",
    "Say",
    "Scenario",
    "ScenarioMismatch",
    "ScriptedCodex",
    "ScriptedModel",
    "Think",
    "ToolOutput",
    "Usage",
    "VirtualClock",
    "When",
    "end_daemons",
    "find_codex",
    "load_scenario",
    "parse_scenario",
    "scripted_codex",
]

_HOMES = {
    "clock": ("VirtualClock",),
    "codex_home": ("CodexHome",),
    "model_request": ("ModelRequest", "ToolOutput"),
    "network_guard": ("NetworkGuard", "OutsideNetwork"),
    "playback": ("ScenarioMismatch",),
    "real_codex": ("ScriptedCodex", "end_daemons", "find_codex", "scripted_codex"),
    "scenario_file": ("load_scenario", "parse_scenario"),
    "scripted_model": ("ScriptedModel",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        if name not in __all__:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(f"{__name__}.{_HOME_OF.get(name, 'scenario')}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
