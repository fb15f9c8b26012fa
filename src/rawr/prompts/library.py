"""The prompt files of one home, cached: used at each turn's end, it reads only files that have changed since."""

from pathlib import Path

from msgspec import Struct

from rawr.core.policy.prompts import Prompts
from rawr.core.speech import template
from rawr.prompts.catalog import PROMPTS, PromptFile
from rawr.prompts.document import Document, default_document, parse
from rawr.prompts.reading import Stamp, Unusable, Warned, read_text, stamp_of
from rawr.prompts.seeding import MANIFEST, folder_of, was_seeded


class Texts(Struct, frozen=True):
    """All prompt files as they are now."""

    documents: dict[str, Document]
    """By the prompt's name."""

    @property
    def prompts(self) -> Prompts:
        return Prompts(**{prompt.field: template(self.documents[prompt.name].body) for prompt in PROMPTS})

    @property
    def warnings(self) -> tuple[Warned, ...]:
        return tuple(warned for document in self.documents.values() for warned in document.warnings)


class Library:
    """Never raises because of the files' content: an unusable file gives a warning and the shipped text."""

    def __init__(self, home: Path) -> None:
        self._folder = folder_of(home)
        self._files = {name: str(self._folder / name) for name in (MANIFEST, *(prompt.file for prompt in PROMPTS))}
        self._stamps: dict[str, Stamp | None] = {}
        self._texts: Texts | None = None

    def texts(self) -> Texts:
        """The same object as before, as long as no file has changed."""
        stamps = {name: stamp_of(file) for name, file in self._files.items()}
        before = self._texts
        if before is not None and stamps == self._stamps:
            return before
        # The manifest decides whether a missing file causes a warning, so a change of it concerns all files.
        is_known = stamps[MANIFEST] == self._stamps.get(MANIFEST)
        seeded = was_seeded(self._folder)
        documents = {}
        for prompt in PROMPTS:
            is_same = before is not None and is_known and stamps[prompt.file] == self._stamps[prompt.file]
            documents[prompt.name] = (
                before.documents[prompt.name]
                if before is not None and is_same
                else _read(prompt, self._folder / prompt.file, was_there=prompt.file in seeded)
            )
        self._stamps = stamps
        self._texts = Texts(documents)
        return self._texts


def _read(prompt: PromptFile, file: Path, *, was_there: bool) -> Document:
    default = default_document(prompt)
    try:
        text = read_text(file)
    except FileNotFoundError:
        if not was_there and not file.is_symlink():
            return default
        remedy = f"the shipped one is used. `rawr prompts reset {prompt.name}` brings it back"
        return Document(default.body, warnings=(Warned(file, None, "", "the file is missing", remedy),))
    except Unusable as error:
        return Document(
            default.body, warnings=(Warned(file, error.line, "", error.problem, "the shipped one is used"),)
        )
    return parse(prompt, file, text)
