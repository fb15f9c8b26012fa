"""C10, D13: what the words of a rule mean."""

import pytest

from rawr.approvals import InvalidRule, Rules
from rawr.approvals.verbs.opening import VERBS, opened
from tests.approvals.world import World

pytestmark = [pytest.mark.mission("C10"), pytest.mark.mission("D23")]


def test_a_program_that_nobody_knows_is_opened_by_exactly_its_words(world: World) -> None:
    rules = Rules(allow=("deploy staging",))
    assert world.judge("deploy staging", rules=rules).safe
    assert world.judge("timeout 9 deploy staging", rules=rules).safe
    [reason] = world.judge("deploy staging --all", rules=rules).reasons
    assert reason.endswith(" exactly its own words; for this command, write the rule `deploy staging --all`.")
    assert world.judge("deploy staging 'a b'", rules=rules).reasons == (
        "The rule `deploy staging` opens exactly its own words, and a rule cannot have the others.",
    )
    assert not world.judge("deploy staging *", rules=rules).safe


def test_the_words_of_the_rule_are_the_users(world: World) -> None:
    """They open themselves, and nothing behind them that the verb does not."""
    rules = Rules(allow=("curl https://api.example.org/x", "npm run build", "docker compose up --scale=web=2"))
    assert world.judge("curl https://api.example.org/x -s", rules=rules).safe
    assert not world.judge("curl https://api.example.org/x https://evil.example", rules=rules).safe
    assert not world.judge("curl https://api.example.org/x -T README.md", rules=rules).safe
    assert world.judge("npm run build -- --watch", rules=rules).safe
    assert not world.judge("npm run deploy", rules=rules).safe
    # An option that is not known makes it exact.
    assert world.judge("docker compose up --scale=web=2", rules=rules).safe
    assert not world.judge("docker compose up --scale=web=2 -d", rules=rules).safe


def test_a_target_in_a_rule_is_the_only_one(world: World) -> None:
    assert world.judge("make check -j4", rules=Rules(allow=("make check",))).safe
    assert not world.judge("make check deploy", rules=Rules(allow=("make check",))).safe
    assert world.judge("make check deploy", rules=Rules(allow=("make",))).safe


def test_any_of_the_rules_may_open_it(world: World) -> None:
    rules = Rules(allow=("make", "make check extra"))
    assert world.judge("make check extra -j2", rules=rules).safe
    assert world.judge("make check extra", rules=rules).reasons == (
        "`make` is allowed by the rule `make check extra`.",
    )


def test_what_needs_no_rule_stays_approved_under_one(world: World) -> None:
    """A rule for a command that only reads takes nothing away from what is proved."""
    rules = Rules(allow=("cat", "git log", "rg"))
    for line in ("cat README.md", "git log --oneline -5", "rg foo src"):
        assert world.judge(line).safe
        assert world.judge(line, rules=rules).safe, line
    for line in ("cat ../outside/secret.txt", "git log --output=x", "rg --pre evil foo"):
        assert not world.judge(line, rules=rules).safe, line


def test_a_path_to_a_program(world: World) -> None:
    """One that stands for the program, or one that is a program of its own."""
    assert world.judge("/usr/local/bin/make check", rules=Rules(allow=("/usr/local/bin/make",))).safe
    assert world.judge(".venv/bin/pytest -q", rules=Rules(allow=(".venv/bin/pytest",))).safe
    assert not world.judge("./git push origin", rules=Rules(allow=("./git push",))).safe
    assert not world.judge("./scripts/test.sh all", rules=Rules(allow=("./scripts/test.sh",))).safe


@pytest.mark.parametrize("rule", ["git -c x=y push", "git -C sub push", "git --git-dir=x push", "git -p log"])
def test_a_rule_that_would_change_what_git_is(rule: str) -> None:
    with pytest.raises(InvalidRule) as refused:
        Rules(allow=(rule,))
    assert "before git's command" in str(refused.value)
    assert refused.value.way_out == "Begin with the command, such as 'git push'."


@pytest.mark.parametrize("rule", ["ssh", "ssh host", "env", "xargs", "sudo make", "time make"])
def test_a_rule_that_would_run_anything(rule: str) -> None:
    with pytest.raises(InvalidRule):
        Rules(allow=(rule,))


def test_what_a_rule_opens_can_be_listed() -> None:
    [push] = opened("git push")
    assert push.verb == "git push"
    assert {"--quiet", "-u"} <= set(push.options)
    assert not any("pack" in one or "exec" in one for one in (*push.options, *push.values))
    assert "--force" in push.needs_a_rule
    assert push.operands[0] == "a configured remote"
    [exact] = opened("frobnicate --all")
    assert exact.verb == ""
    assert [one.verb for one in opened("docker compose")][:2] == ["docker compose up", "docker compose down"]
    [check] = opened("make check")
    assert (check.project, check.operands) == (True, ("those of the rule",))
    assert opened("git hooks")[0].hooks


NEVER = """
    --exec --receive-pack --upload-pack --config --config-file --eval --script-shell --exec-path --init-script
    --kubeconfig --toolexec --modfile --rootdir --basetemp --rsh --proxy --netrc --upload-file --registry --index-url
    --node-options --userconfig --privileged --volume --mount --secret --ssh --repo --web --editor --input --plugin
    --edit --interactive --gpg-sign --pathspec-from-file --output-dir --require --cwd --dir --directory --global
    --hostname --context
    """
HARMLESS = {
    ("cmake --build", "--config"),  # a kind of build
    ("gh run download", "--dir"),  # in the workspace, and not all of it
}


def test_no_table_opens_what_names_a_program_or_other_settings() -> None:
    """Whatever is added to them later."""
    options = {one.name: {*one.flags, *one.values, *one.optional} - one.named for one in VERBS.values()}
    found = {(name, option) for name, several in options.items() for option in several}
    assert {(name, option) for name, option in found if option in NEVER.split()} - HARMLESS == set()
