"""Questions as a bundle asks them: the prompts, and the files that run them, are those of the rooms above. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from datasets.schema import Slot
from leases.extension import ExtensionPoint
from protocols.declaration import Declaration


@dataclass(frozen=True)
class Asked:
    """A question as its line is made from it: its number in the file, its record's columns, the question itself."""

    number: int
    columns: Mapping[str, Any]
    slot: Slot

    @property
    def passages(self) -> SimpleNamespace:
        return SimpleNamespace(**self.columns)


@dataclass(frozen=True)
class SentTexts:
    """The text of a prompt about a question, with its gold answers.

    `second` are the pieces of what is sent after the reply, which stands between them; None where nothing is.
    """

    text: str
    gold: Sequence[str] = ()
    second: Sequence[str] | None = None


@dataclass(frozen=True)
class BundledPrompt:
    """A prompt that sends the same text in every run; `sent` gives None where a record lacks what it shows.

    `answer` is text, scores, span or option. `is_check`: its second text asks whether the reply holds, which stays the
    answer. `sha256` is that of what decides the text.
    """

    name: str
    sha256: str
    sent: Callable[[Asked], SentTexts | None]
    answer: str = "text"
    options: Sequence[str] = ()
    is_check: bool = False


@dataclass(frozen=True)
class PromptLine:
    """A question in a prompt, as its line is made from it."""

    asked: Asked
    prompt: BundledPrompt
    sent: SentTexts

    @property
    def key(self) -> str:
        """The same in every release, file and installation."""
        return f"{self.asked.columns['external_id']}:{self.asked.slot.n}:{self.prompt.name}"


@dataclass(frozen=True)
class Harness:
    """Files with which a program for evaluations asks the prompts. `about` says what it does, `run` how it is run."""

    name: str
    about: str
    run: str
    files: Mapping[str, bytes]


# The prompts of a protocol, None: of WikiContradict. Their texts depend on the declaration and the record alone.
bundled_prompts: ExtensionPoint[[Declaration | None], Sequence[BundledPrompt]] = ExtensionPoint(
    "datasets.releasing.bundle.asked.bundled_prompts"
)
# The files that run those prompts, by their path in the bundle.
harnesses: ExtensionPoint[[Declaration | None], Sequence[Harness]] = ExtensionPoint(
    "datasets.releasing.bundle.asked.harnesses"
)


def prompts_of(declaration: Declaration | None) -> list[BundledPrompt]:
    return [prompt for some in bundled_prompts(declaration) for prompt in some]


def harnesses_of(declaration: Declaration | None) -> list[Harness]:
    return [harness for some in harnesses(declaration) for harness in some]


def prompt_lines(asked: Asked, prompts: Sequence[BundledPrompt]) -> Iterator[PromptLine]:
    """Those of one question."""
    for prompt in prompts:
        if sent := prompt.sent(asked):
            yield PromptLine(asked, prompt, sent)
