"""What is wider than what (D11): an order for each dimension, and whatever is on none of them is wider."""

import pytest
from msgspec.structs import replace

from rawr.core.vocabulary.limits import NOT_TOLD, InForce, Limits, Sandboxing, in_words, settled, wider

READ_ONLY = InForce("/w", Sandboxing("read-only"), "on-request")
WRITES = InForce("/w", Sandboxing("workspace-write"), "on-request")
ORDERED = Limits("/w", Sandboxing("workspace-write"), exact=True, approvals="on-request", reviewer="user")
MODES = ["read-only", "workspace-write", "external-sandbox", "danger-full-access"]
APPROVALS = ["untrusted", "on-request", "on-failure", "never"]


@pytest.mark.parametrize("given", [*MODES, "tomorrows-sandbox", NOT_TOLD, ""])
@pytest.mark.parametrize("ordered", MODES)
def test_sandboxes_have_an_order(ordered: str, given: str) -> None:
    limits = replace(ORDERED, sandbox=Sandboxing(ordered))
    told = replace(WRITES, sandbox=Sandboxing(given))
    known = given in MODES and MODES.index(given) <= MODES.index(ordered)
    assert (wider(limits, told) == ()) == (known or ordered == "danger-full-access")


@pytest.mark.parametrize("given", [*APPROVALS, '{"granular":{}}', NOT_TOLD, ""])
@pytest.mark.parametrize("ordered", APPROVALS)
def test_approvals_have_an_order(ordered: str, given: str) -> None:
    found = wider(replace(ORDERED, approvals=ordered), replace(WRITES, approvals=given))
    assert (found == ()) == (given in APPROVALS and APPROVALS.index(given) <= APPROVALS.index(ordered))


@pytest.mark.parametrize(
    ("sandbox", "word"),
    [
        (Sandboxing("workspace-write", network=True), "network"),
        (Sandboxing("read-only", network=True), "network"),
        (Sandboxing("workspace-write", roots=("/else",)), "/else may be written"),
        (Sandboxing("workspace-write", roots=("/w/../etc",)), "/w/../etc may be written"),
        (Sandboxing("workspace-write", roots=("/wide",)), "/wide may be written"),
        (Sandboxing("workspace-write", roots=("/",)), "/ may be written"),
    ],
)
def test_more_than_the_mode_counts(sandbox: Sandboxing, word: str) -> None:
    [found] = wider(ORDERED, replace(WRITES, sandbox=sandbox))
    assert word in found


def test_another_workspace_is_wider_and_one_inside_it_is_not() -> None:
    assert wider(ORDERED, replace(WRITES, cwd="/")) == ("/ may be written",)
    assert wider(ORDERED, replace(WRITES, cwd="/w/deep", sandbox=Sandboxing("workspace-write", roots=("/w/a",)))) == ()
    without_tmp = replace(ORDERED, sandbox=Sandboxing("workspace-write", slash_tmp=False, tmpdir=False))
    assert len(wider(without_tmp, WRITES)) == 2


def test_who_approves_is_a_limit_too() -> None:
    """A reviewer of Codex's own says yes before anybody here has seen the request."""
    assert wider(ORDERED, replace(WRITES, reviewer="auto_review")) != ()
    assert wider(replace(ORDERED, reviewer="auto_review"), replace(WRITES, reviewer="auto_review")) == ()
    assert wider(replace(ORDERED, reviewer="auto_review"), replace(WRITES, reviewer="tomorrows")) != ()


def test_a_profile_of_the_users_own_is_kept() -> None:
    """It can keep files from being read, of which its sandbox says nothing."""
    mine = replace(ORDERED, profile="mine")
    assert wider(mine, replace(WRITES, profile="mine")) == ()
    assert wider(mine, READ_ONLY) == ("permission profile none (ordered: mine)",)
    assert wider(replace(ORDERED, profile=":workspace"), READ_ONLY) == ()


def test_what_nobody_ordered_is_what_the_thread_has() -> None:
    told = InForce(
        "/w", Sandboxing("workspace-write", network=True, roots=("/else",)), "untrusted", profile=":workspace"
    )
    kept = settled(Limits(), told)
    assert kept == Limits("/w", told.sandbox, exact=True, approvals="untrusted", reviewer="user", profile=":workspace")
    assert settled(kept, READ_ONLY) == kept
    assert wider(kept, told) == ()


def test_the_details_of_the_ordered_mode_are_those_of_the_users_config() -> None:
    """And they stay what they were at the start, whatever the config says later."""
    ordered = Limits(sandbox=Sandboxing("workspace-write"), approvals="on-request")
    network = replace(WRITES, sandbox=Sandboxing("workspace-write", network=True))
    assert settled(ordered, network).sandbox == network.sandbox
    assert wider(settled(ordered, WRITES), network) != ()


def test_read_only_has_no_details() -> None:
    ordered = Limits(sandbox=Sandboxing("read-only"), approvals="on-request")
    told = replace(READ_ONLY, sandbox=Sandboxing("read-only", network=True))
    assert wider(settled(ordered, told), told) == ("network access (ordered: none)",)


def test_one_short_line() -> None:
    assert in_words(READ_ONLY) == "sandbox read-only, approvals on-request"
    assert in_words(Limits()) == "sandbox of the thread, approvals of the thread"
    more = replace(
        WRITES, sandbox=Sandboxing("workspace-write", network=True, roots=("/else",)), reviewer="auto_review"
    )
    assert in_words(more) == "sandbox workspace-write with network, /else, approvals on-request, given by auto_review"


def test_what_reaches_the_rules_is_wider_than_any_order() -> None:
    """Even than everything: it is not for Codex's sandbox to say."""
    reached = replace(WRITES, reaches="rawr's home lies in /w.")
    assert wider(ORDERED, reached) == ("rawr's home lies in /w.",)
    assert wider(Limits(), reached) == ("rawr's home lies in /w.",)
