"""The command palette: every command by its name."""

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from rawr.tui.commands import COMMANDS, Command, shown_keys


class Commands(Provider):
    async def discover(self) -> Hits:
        for one in COMMANDS:
            yield DiscoveryHit(one.title, partial(self.app.run_action, one.name), help=_help(one))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for one in COMMANDS:
            score = max(matcher.match(one.title), matcher.match(one.help) / 2)
            if score > 0:
                yield Hit(score, matcher.highlight(one.title), partial(self.app.run_action, one.name), help=_help(one))


def _help(one: Command) -> str:
    return f"{one.help}  ({shown_keys(one.keys)})"
