"""A host in this process, on a real socket, with a harness that answers at once."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from rawr.core.policy.policy import Policy
from rawr.host import messages as m
from rawr.host.audience import Audience
from rawr.host.client import HostClient
from rawr.host.ending import Ending
from rawr.host.environment import Environment, Environments
from rawr.host.hosting import Hosting, Rules
from rawr.host.server import HostServer
from rawr.ports.harness import Harness
from rawr.runtime.supervisor import Supervisor
from tests.runtime.test_harness import LoopbackHarness

CODEX = m.Reach(program="codex", codex_home="/codex")


class Serving:
    def __init__(self, rawr: Supervisor, server: HostServer, harness: LoopbackHarness, ending: Ending) -> None:
        self.rawr = rawr
        self.server = server
        self.harness = harness
        self.ending = ending
        self.dialed: list[Environment | None] = []
        """The environment of each Codex that was started."""
        self.stay: list[HostClient] = []
        """Clients that leave with the host."""

    async def client(self) -> HostClient:
        return await HostClient.open(self.rawr.home)


@asynccontextmanager
async def serving(home: Path, *, ending: Ending | None = None) -> AsyncIterator[Serving]:
    audience, harness, ends = Audience(), LoopbackHarness(), ending or Ending()
    base = Policy()

    def load(_flags: Mapping[str, object]) -> Policy:
        return base

    dialed: list[Environment | None] = []

    def dial(_wanted: m.Reach, environment: Environment | None) -> Harness:
        dialed.append(environment)
        return harness

    rules = Rules(load)
    environments = Environments()
    async with Supervisor(None, home, policy=rules, surface=audience, environments=environments) as rawr:
        server = HostServer(rawr, Hosting(rawr, dial, rules, environments), audience, ending=ends)
        await server.start()
        it = Serving(rawr, server, harness, ends)
        it.dialed = dialed
        try:
            yield it
        finally:
            await server.close(m.Leaving("the test is over"))
            for client in it.stay:
                await client.close()
