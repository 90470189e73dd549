"""Does a response give away which model wrote it?

A judge who reads "as ChatGPT, I …" is no longer blind. Such responses are listed for the admin; nothing is
hidden or changed, for the text is what is judged. Pure.
"""

import re
from collections.abc import Iterable

# What models of a family call themselves or their makers, by a part of the model's id.
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
    """The words by which the models of these ids would give themselves away, longest first."""
    found: set[str] = set()
    for model_id in model_ids:
        last = model_id.rsplit("/", 1)[-1]
        if last:
            found.add(last)
        for part, words in FAMILIES.items():
            if re.search(rf"(?<![a-z]){part}(?![a-z]{{3}})", model_id.lower()):
                found.update(words)
    return sorted(found, key=lambda name: (-len(name), name))


def named_in(text: str, names: Iterable[str], *, asked: str = "") -> list[str]:
    """Which of `names` stand in `text` as whole words, case aside.

    A name that the prompt text `asked` holds too is left out: repeating a passage gives nothing away.
    """
    return [name for name in names if _stands(name, text) and not _stands(name, asked)]


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?![^\W\d_])", text, re.IGNORECASE) is not None
