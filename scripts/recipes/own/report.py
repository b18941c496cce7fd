"""The HTML page that shows the segmentations and the scores of all systems."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Dict, List, Sequence

from recipes.engine.commands import command
from recipes.engine.run import Run
from recipes.engine.scores import Results
from recipes.engine.steps import Step
from recipes.engine.systems import System


def report_step(run: Run, systems: Sequence[System]) -> List[Step]:
    """Segments the training text with every segmentation that is binarized, and makes ``report.html``."""
    if find_spec("matplotlib") is None:
        print("no report.html: it needs matplotlib (the extra plots)", file=sys.stderr)
        return []
    results = Results(run)
    scored = [system for system in systems if results.of(system)]
    if not scored:
        return []
    source, target = scored[0]["pair"].split("-")
    raw = {
        language: run.corpus / f"train.{source}-{target}.{language}"
        for language in (source, target)
    }
    steps, texts, encoders, scores = [], [], [], []
    for name, system in {system["segmentation"]: system for system in scored}.items():
        if not system["segment"]:  # the text of a baseline is there
            steps.append(_segment(run, system, raw))
        text = segmented(run, system, raw)
        texts += [f"{name}:{language}={path}" for language, path in zip(raw, text)]
        encoders += ["--encoder", f"{name}={system['encoder']}"] if system["encoder"] else []
    for system in scored:
        scores += [run.folder(system, seed) / "detokenized.json" for seed in results.of(system)]
    page = run.work / "report.html"
    shown = [item for language, path in raw.items() for item in ("--raw", f"{language}={path}")]
    stats = command(
        "fairseq-subword", "stats", *texts, *shown, *encoders, "--html", page, "--scores", *scores,
        *run.workers_flag,
    )  # fmt: skip
    read = [text.partition("=")[2] for text in texts]
    inputs = [*map(Path, read), *raw.values(), *scores]
    return [*steps, Step("report", [stats], inputs=inputs, outputs=[page], shown="once")]


def segmented(run: Run, system: System, raw: Dict[str, Path]) -> List[Path]:
    """The segmented training text of both sides."""
    folder = run.segmentation(system) / "text"
    if system["segment"]:
        return [folder / f"train.{language}" for language in raw]
    return [folder / path.name for path in raw.values()]


def _segment(run: Run, system: System, raw: Dict[str, Path]) -> Step:
    """Segments both sides of the training text, as binarize does."""
    folder, outputs = run.segmentation(system), segmented(run, system, raw)
    commands, inputs = [], list(raw.values())
    for number, (path, output) in enumerate(zip(raw.values(), outputs)):
        flags: List[object] = ["--encoder", system["encoder"]]
        if system["learn"]:
            separate = number and system["learn_target"]
            codes = folder / ("codes.target" if separate else "codes")
            flags += ["-c", codes]
            inputs.append(codes)
        commands.append(
            command(
                "fairseq-subword", "apply-bpe", *flags, "-i", path, "-o", output, *run.workers_flag
            )
        )
    return Step(f"segment {system['segmentation']}", commands, list(dict.fromkeys(inputs)), outputs)
