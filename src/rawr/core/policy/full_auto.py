"""The settings of Full Auto, ``[rawr_full_auto]``. A run's own flags take precedence."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

ApprovalMode = Literal["never", "policy", "ask"]
ReviewMode = Literal["never", "on-error", "at-end"]
Unsafe = Literal["wait", "decline"]
CheckMode = Literal["every-turn", "on-claim"]

Count = Annotated[int, Meta(ge=1, le=1_000)]
Seconds = Annotated[int, Meta(ge=1, le=7 * 24 * 3600)]
Turns = Annotated[int, Meta(ge=1, le=100_000)]
Price = Annotated[int, Meta(ge=0, le=10**12)]

MILLION = 1_000_000


class FullAuto(Struct, frozen=True):
    max_turns: Turns = 200
    """The most turns of a run."""
    approvals: ApprovalMode = "policy"
    """``never`` asks nobody, ``policy`` approves what is provably safe, ``ask`` always asks a person."""
    unsafe: Unsafe = "wait"
    """Requests that are not provably safe wait for a person, or are declined with the reason."""
    review: ReviewMode = "never"
    """When to run Codex's own review and give its findings to the agent."""
    allow: tuple[str, ...] = ()
    """Commands to approve besides the provably safe ones, by their first words: ``pytest``, ``npm test``.
    `rawr approvals opens` shows what each opens."""
    deny: tuple[str, ...] = ()
    """Commands that are never approved; this takes precedence over everything else."""
    protect: tuple[str, ...] = ()
    """Paths below the workspace that nothing may change without a person: ``.github/workflows``."""
    not_secret: tuple[str, ...] = ()
    """Files that hold no credentials though their names suggest it: ``.env``, ``certs/*.pem``."""
    check: CheckMode = "every-turn"
    """When the done check runs: after each turn that did something, or only when the agent says that it is done. In
    either case it also runs before a guard or a budget stops the run."""
    done_seconds: Seconds = 600
    """How long the done check may take."""
    no_progress_turns: Count = 3
    """Turns in a row without progress that stop the run."""
    same_error_turns: Count = 3
    """Turns in a row ending on the same error that stop the run."""
    compactions_in_turns: Count = 6
    """The number of turns in which at most half as many compactions may occur; more stop the run."""
    native_compactions: Count = 3
    """How many of Codex's own compactions end the turn and pause the run: in a row without gain, or in a short time."""
    native_seconds: Seconds = 300
    """That short time. Codex's own compactions that come this close together are too many, whatever they gain."""
    retries: Count = 5
    """How often to retry a turn that failed for a transient reason."""
    retry_seconds: Seconds = 2
    """The wait before the first retry; it doubles each time."""
    retry_most_seconds: Seconds = 300
    """The longest wait between two retries."""
    stall_seconds: Seconds = 1_200
    """Seconds of silence after which a turn is ended and retried, if no command is running and no question is open."""
    limit_wait_seconds: Seconds = 6 * 3600
    """A rate limit that resets later than this pauses the run instead."""
    concurrent_turns: Count = 4
    """The most concurrent turns, over all runs."""
    price_input: Price = 0
    """The price of a million fresh input tokens, in millionths of your currency. A cost budget needs the prices."""
    price_cached: Price = 0
    """The same for cached input tokens."""
    price_output: Price = 0
    """The same for output tokens."""

    def cost(self, *, fresh: int, output: int, cached: int = 0) -> int:
        """The cost of tokens, in millionths of the user's currency."""
        return (fresh * self.price_input + cached * self.price_cached + output * self.price_output) // MILLION
