"""What ``--task translation_from_text`` adds to Fairseq's translation task: options, texts, dictionaries."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple

from fairseq.data import Dictionary
from fairseq.tasks.translation import TranslationConfig
from omegaconf import II

from fairseq_subword_ext.checkpoints.fairseq_config import whole_config
from fairseq_subword_ext.data.from_text import FromText
from fairseq_subword_ext.data.from_text_options import FromTextConfig
from fairseq_subword_ext.data.pair_folders import text_file
from fairseq_subword_ext.data.text_dictionary import entries_of_codes


@dataclass
class TranslationFromTextConfig(FromTextConfig, TranslationConfig):
    seed: int = II("common.seed")


def record_languages(cfg: TranslationFromTextConfig) -> None:
    """Records the languages in the configuration that checkpoints keep, of which Fairseq passes a copy.

    Where they were inferred from the text, the model could not be used without it.
    """
    recorded = getattr(whole_config(cfg), "task", None)
    if recorded is not None:
        recorded.source_lang, recorded.target_lang = cfg.source_lang, cfg.target_lang


def is_binarized(folder: str, source: str, target: str) -> bool:
    """Whether a folder holds binarized data of a pair, in either direction."""
    names = (f"*.{first}-{second}.*.idx" for first, second in _directions(source, target))
    return any(next(Path(folder).glob(name), None) for name in names)


def text_prefixes(
    folder: str, split: str, source: str, target: str, combine: bool
) -> Dict[str, Tuple[str, str]]:
    """The texts of a split, as :meth:`.FromText.opened` takes them.

    Args:
        folder: holds the texts.
        split: ``train``, ``valid``, ...
        source, target: the languages; the files may name them in either order.
        combine: include ``train1``, ``train2``, ..., as Fairseq does for training.

    Raises:
        FileNotFoundError: If there is no text.
    """
    found: Dict[str, Tuple[str, str]] = {}
    while combine or not found:
        name = f"{split}{len(found) or ''}"
        prefixes = [f"{folder}/{name}.{a}-{b}." for a, b in _directions(source, target)]
        existing = [
            prefix
            for prefix in prefixes
            if text_file(prefix + source) or text_file(prefix + target)
        ]
        if not existing:
            break
        found[existing[0]] = (source, target)
    if not found:
        raise FileNotFoundError(
            2,
            f"no {split} text of {source} and {target}",
            f"{folder}/{split}.{source}-{target}.{source}",
        )
    return found


def find_dictionaries(
    given: Optional[str],
    folder: str,
    languages: Sequence[str],
    text: Optional[FromText],
    from_checkpoint: bool = False,
) -> Tuple[Dictionary, Dictionary]:
    """Loads or makes the dictionaries of the source and of the target.

    Args:
        given: ``--text-dict``, for both.
        folder: the first data folder, which may hold dictionaries.
        languages: source and target.
        text: the raw text, if the task reads any; without a dictionary, one is made from its codes.
        from_checkpoint: whether ``given`` is an option of a finished model, and need not exist any more.

    Raises:
        FileNotFoundError: If a file does not exist.
        ValueError: If the codes do not determine a dictionary.
    """
    paths = [Path(folder) / f"dict.{each}.txt" for each in languages]
    if given and not (from_checkpoint and all(map(Path.is_file, paths))):
        paths = [Path(given)] * 2
    elif text is not None and not any(map(Path.is_file, paths)):
        made = Dictionary()
        for symbol, count in entries_of_codes(text.codec):
            made.add_symbol(symbol, count)
        return made, made
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(2, "no such dictionary", str(path))
    source, target = (Dictionary.load(str(path)) for path in paths)
    return source, target


class Decoders:
    """Decodes with several of Fairseq's encoders in turn, None among them being skipped."""

    def __init__(self, *decoders: Any):
        self._decoders = [decoder for decoder in decoders if decoder is not None]

    def decode(self, line: str) -> str:
        for decoder in self._decoders:
            line = decoder.decode(line)
        return line


def _directions(source: str, target: str) -> Tuple[Tuple[str, str], Tuple[str, str]]:
    return (source, target), (target, source)
