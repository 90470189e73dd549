"""Whether a response names the model that wrote it. Pure.

A judge who reads "as ChatGPT, I …" is no longer blind. Such responses are listed for the admin and judged unchanged.
"""

import re
from collections.abc import Iterable

# Names that models of a family use for themselves or their makers, by a part of the model's id.
FAMILIES = {
    "gpt": ("ChatGPT", "GPT", "OpenAI"),
    "llama": ("Llama", "Meta AI"),
    "mistral": ("Mistral",),
    "mixtral": ("Mixtral", "Mistral"),
    "smollm": ("SmolLM", "Hugging Face"),
    "gemma": ("Gemma", "Google DeepMind"),
    "gemini": ("Gemini", "Bard", "Google DeepMind"),
    "claude": ("Claude", "Anthropic"),
    "qwen": ("Qwen", "Tongyi", "Alibaba Cloud"),
    "deepseek": ("DeepSeek",),
    "flan": ("Flan",),
    "falcon": ("Falcon", "Technology Innovation Institute"),
    "phi": ("Phi",),
    "command": ("Command R", "Cohere"),
    "granite": ("Granite", "IBM"),
}


def names_of(model_ids: Iterable[str]) -> list[str]:
    """The words that name the models of these ids, longest first."""
    names: set[str] = set()
    for model_id in model_ids:
        last = model_id.rsplit("/", 1)[-1]
        if last:
            names.add(last)
        for part, words in FAMILIES.items():
            if re.search(rf"(?<![a-z]){part}(?![a-z]{{3}})", model_id.lower()):
                names.update(words)
    return sorted(names, key=lambda name: (-len(name), name))


def named_in(text: str, names: Iterable[str], *, sent: str = "") -> list[str]:
    """Those of `names` that `text` contains as whole words, ignoring case.

    A name that the prompt text `sent` contains too is left out: repeating a passage reveals nothing.
    """
    return [name for name in names if _contains(text, name) and not _contains(sent, name)]


def _contains(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?![^\W\d_])", text, re.IGNORECASE) is not None
