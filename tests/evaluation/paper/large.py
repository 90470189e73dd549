"""A report of any number of models, prompts and judge models, with any names: the frozen one, multiplied."""

from itertools import combinations

from tests.evaluation import frozen

# What people call models: signs, accents, letters from right to left, and a hundred of them.
HARD = [
    "meta_llama_3.3_70b_instruct_turbo_fp8",
    "Modèle très français à l'accent grave",
    "x" * 100,
    "a sentence of a name that goes on for as long as a hundred letters, which is what the form accepts",
]
RIGHT_TO_LEFT = "نموذج_لغوي_كبير_للغة_العربية"


def report(models, titles, judges=(), verdicts=3):
    """A report whose prompts have `titles`; every number is that of the frozen report's first model and prompt."""
    body = frozen.body()
    labels = [str(n) for n in range(1, len(titles) + 1)]
    table, judge = body["tables"][0], body["judge_models"][0]
    body["models"] = [{"id": n, "name": name} for n, name in enumerate(models, start=1)]
    body["prompts"] = [
        {**body["prompts"][0], "name": f"p{label}", "label": label, "title": title}
        for label, title in zip(labels, titles, strict=True)
    ]
    body["verdicts"] += [
        {"key": f"v{n}", "label": f"Verdict number {n}"} for n in range(3, verdicts)
    ]
    multiply(table, models, labels, body["verdicts"])
    multiply(judge["table"], models, labels, body["verdicts"])
    body["agreement"]["prompts"] = [
        {**body["agreement"]["prompts"][0], "prompt": label} for label in labels
    ]
    scores, (one, *_) = judge["prompts"][0], judge["prompts"][0]["models"]
    for part in (scores, *scores["halves"]):
        part["classes"] += [{**part["classes"][0], "label": f"v{n}"} for n in range(3, verdicts)]
    scores["models"] = [{**one, "model": name} for name in models]
    judge["prompts"] = [{**scores, "prompt": label} for label in labels]
    body["judge_models"] = [
        {**judge, "id": n, "judge": name} for n, name in enumerate(judges, start=1)
    ]
    compare(body, models, labels)
    return body


def multiply(table, models, labels, verdicts):
    """The table's cells and lines of one model and prompt, for all."""
    first = (table["rows"][0]["prompt"], table["rows"][0]["model"])
    for part in ("rows", "lines"):
        mine = [one for one in table[part] if (one["prompt"], one["model"]) == first]
        if part == "rows":
            known = {one["verdict"] for one in mine}
            wanted = [verdict["key"] for verdict in verdicts if verdict["key"] not in known]
            sample = [one for one in mine if one["verdict"] == mine[0]["verdict"]]
            mine += [{**one, "verdict": verdict} for verdict in wanted for one in sample]
        table[part] = [
            {**one, "prompt": label, "model": name}
            for label in labels
            for name in models
            for one in mine
        ]


def compare(body, models, labels):
    """A family of each kind: prompts, models, reasoning, gains."""
    prompts, reasoning = body["comparisons"]["families"]
    row, other = prompts["rows"][0], reasoning["rows"][0]
    ends = {"low": -0.1234, "high": 0.5678, "clusters": 40}
    gain = {"value": 0.2, "k_1": 1, "n_1": 5, "k_2": 2, "n_2": 5, **ends}
    pairs = list(combinations(models, 2))[:6]
    both = {"first": labels[0], "second": labels[-1]}
    rows = {
        "prompts": [{**row, **ends, **both, "model": name} for name in models],
        "models": [
            {**row, **ends, "prompt": labels[0], "model": "", "first": first, "second": second}
            for first, second in pairs
        ],
        "reasoning": [{**other, **ends, "prompt": labels[0], "model": name} for name in models],
        "gains": [
            {**other, **ends, **both, "model": name, "explicit": gain, "implicit": gain}
            for name in models
        ],
    }
    body["comparisons"]["families"] = [
        {
            **prompts,
            "key": kind,
            "kind": kind,
            "title": f"Family of {kind}",
            "margin": 0.1,
            "rows": mine,
        }
        for kind, mine in rows.items()
    ]
