"""Where in the generated schemas a message is described."""

from pathlib import Path

from .schema import Document, Schema


class Protocol:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.notifications = Document.load(folder / "ServerNotification.json")
        self.server_requests = Document.load(folder / "ServerRequest.json")
        self.calls = Document.load(folder / "ClientRequest.json")

    def result_of(self, method: str) -> Document:
        """The result of a call of ours."""
        return self._answer(self.calls.methods()[method])

    def answer_to(self, method: str) -> Document:
        """What the server expects as the answer to a request of its own."""
        return self._answer(self.server_requests.methods()[method])

    def _answer(self, params: Schema) -> Document:
        """Codex names the two alike: ``TurnStartParams`` and ``TurnStartResponse``."""
        (name,) = _references(params)
        file = f"{name.removesuffix('Params')}Response.json"
        (found,) = [self._folder / part / file for part in ("", "v1", "v2") if (self._folder / part / file).is_file()]
        return Document.load(found)


def _references(schema: Schema) -> list[str]:
    assert isinstance(schema, dict)
    options = schema.get("anyOf", [schema])
    assert isinstance(options, list)
    return [str(one["$ref"]).rpartition("/")[2] for one in options if "$ref" in one]
