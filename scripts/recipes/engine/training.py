"""Steps that train a system by one of the recipe's Hydra configurations."""

import re
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from recipes.engine.commands import SENTENCEPIECE, USER_DIR, Command, Extent, Neutral, command
from recipes.engine.run import Run
from recipes.engine.runner import TIME_LIMIT
from recipes.engine.steps import Step, Training

_DEVICES = 8  # that a configuration without update_freq is meant for


def training_step(
    run: Run,
    name: str,
    config: Path,
    data: Path,
    folder: Path,
    seed: int,
    settings: Sequence[str] = (),
    devices: Optional[int] = None,
    inputs: Sequence[Path] = (),
    updates: Optional[int] = None,
) -> Step:
    """Trains with ``fairseq-hydra-train``; if run again, training continues.

    Args:
        run: the run, whose ``overrides`` come last.
        name: of the step.
        config: the YAML file.
        data: folder of the binarized data.
        folder: checkpoints go into its ``checkpoints``.
        seed: of the training.
        settings: KEY=VALUE, what differs from the configuration.
        devices: devices that the configuration's batch is meant for; fewer gather several batches for an
            update. Default: the configuration's update_freq, or 8.
        inputs: further files that the training reads, such as a parent's checkpoint.
        updates: where training ends; None for ``--updates``, or else the configuration's.
    """
    content = read_config(config)
    updates = updates or run.updates
    devices = devices or (_values(content, "optimization.update_freq") or [_DEVICES])[0]
    frequency = -(-devices // run.gpus) if run.gpus else devices
    arguments: List[str] = [
        "--config-dir", str(config.parent), "--config-name", config.stem,
        Neutral(f"hydra.run.dir={folder / 'hydra'}"),
        f"common.user_dir={USER_DIR}", f"common.seed={seed}",
        Neutral("common.fp16=true" if run.gpus else "common.cpu=true"),
        f"task.data={data}", f"checkpoint.save_dir={folder / 'checkpoints'}",
        Neutral(f"optimization.update_freq=[{frequency}]"),
    ]  # fmt: skip
    if updates:
        arguments.append(Extent(f"optimization.max_update={updates}"))
    if run.minutes:
        # A training that this ends is not finished; of a finished one, it has changed nothing.
        arguments.append(Neutral(f"{TIME_LIMIT}={run.minutes / 60}"))
    training = Training(
        folder,
        updates or _value(content, "optimization.max_update"),
        _value(content, "optimization.max_epoch"),
        run.minutes,
    )
    best = folder / "checkpoints" / "checkpoint_best.pt"
    return Step(
        name,
        [command("fairseq-hydra-train", *arguments, *settings, *run.overrides)],
        inputs=[config, data, *inputs],
        outputs=[best, best.with_name("checkpoint_last.pt")],
        training=training,
    )


def generate(
    run: Run,
    data: Path,
    models: Sequence[Path],
    stdout: Path,
    encoder: str,
    codes: Optional[Path],
    *flags: Any,
) -> Command:
    """Translates binarized data with a model, or with several as an ensemble.

    Args:
        run: the run.
        data: folder of the binarized data.
        models: checkpoints.
        stdout: what fairseq-generate prints goes there.
        encoder: Fairseq's ``--bpe``; empty if the data has no encoder.
        codes: of the target side; None for bytes and characters.
        flags: more flags.
    """
    decode = ["--bpe", encoder] if encoder else []
    codes_flag = "--sentencepiece-model" if encoder == SENTENCEPIECE else "--bpe-codes"
    decode += [codes_flag, codes] if codes else []
    return command(
        "fairseq-generate", data, "--user-dir", USER_DIR, "--path", ":".join(map(str, models)), *decode,
        "--scoring", "sacrebleu", "--required-batch-size-multiple", 1, *flags, *run.generate,
        run.device_flag, stdout=stdout,
    )  # fmt: skip


def read_config(path: Path) -> Dict[str, Any]:
    """Reads a Hydra configuration.

    Raises:
        ValueError: If there is no such file, or it is not YAML.
    """
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: not a configuration ({error})") from error


def length_limit(flags: Sequence[str]) -> Optional[int]:
    """The maximum symbols of a translation by flags of fairseq-generate; None if it depends on the source."""
    text = " ".join(flags)
    if float((re.findall(r"--max-len-a\s+(\S+)", text) or ["0"])[-1]):
        return None
    return int((re.findall(r"--max-len-b\s+(\d+)", text) or ["200"])[-1])


def _values(content: Dict[str, Any], key: str) -> List[int]:
    section, name = key.split(".")
    return (content.get(section) or {}).get(name) or []


def _value(content: Dict[str, Any], key: str) -> Optional[int]:
    section, name = key.split(".")
    return (content.get(section) or {}).get(name) or None
