"""The codecs of ``binarize``, with given codes or codes learned from the training texts."""

import argparse
from collections.abc import Mapping
from dataclasses import Field, field
from pathlib import Path
from typing import Any, Dict, List

from fairseq_subword_ext.cli.binarize_texts import RawText
from fairseq_subword_ext.cli.common import log, progress_bar
from fairseq_subword_ext.cli.learning import learning_options, report_learning
from fairseq_subword_ext.cli.option_arguments import encoding_options, flag, given_options
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.registry import codec_class
from fairseq_subword_ext.subword.merge_table import metadata_path_of
from fairseq_subword_ext.textio.files import atomic_writer
from fairseq_subword_ext.textio.step_records import StepRecords
from fairseq_subword_ext.version import __version__

# What learning depends on besides the texts.
_LEARNING = (
    "symbols", "total_symbols", "min_frequency", "measure", "measure_module", "dlg_counts", "tie_break",
    "unit", "borders", "marker_version", "carriage_return",
)  # fmt: skip

# Flags of the target side -> the options that they replace.
OF_TARGET = {"target_codes": "codes", "target_vocabulary": "vocabulary"}


def segmenting_options() -> Dict[str, "Field[Any]"]:
    """Returns the options of all encodings, without the short flag that Fairseq's commands use for the source."""
    options = {}
    for name, each in encoding_options().items():
        metadata: Mapping[str, Any] = each.metadata
        flags = tuple(short for short in metadata["flags"] if short != "-s")
        options[name] = field(default=each.default, metadata={**metadata, "flags": flags})
        options[name].name = name
    return options


class Codecs:
    """The codec of each side or language.

    Args:
        args: the command's arguments.
        texts: all texts.
        records: keep the codes that an interrupted run learned.

    Attributes:
        files: names of codes in the output folder -> their current paths.
        made: the codecs so far, by key.
    """

    def __init__(self, args: argparse.Namespace, texts: List[RawText], records: StepRecords):
        self.files: Dict[str, Path] = {}
        self._args = args
        self._texts = texts
        self._records = records
        self.made: Dict[str, Codec] = {}
        self._given = given_options(args, segmenting_options())
        self._check()

    def of(self, text: RawText) -> Codec:
        """Returns the codec of a text's side and language."""
        key = self.key(text)
        if key not in self.made:
            self.made[key] = self._make(text, key)
        return self.made[key]

    def key(self, text: RawText) -> str:
        """Returns the key of a text's codec; texts with the same key share a codec."""
        args = self._args
        if args.symbols is not None:
            return "" if args.joint or text.language is None else f".{text.language}"
        by_side = any(getattr(args, name) is not None for name in OF_TARGET)
        return ".target" if by_side and text.is_target else ""

    def _check(self) -> None:
        args = self._args
        if args.symbols is None:
            if args.joint:
                raise ValueError("--joint goes with --learn N")
            return
        if "codes" in self._given or args.target_codes is not None:
            raise ValueError("--learn makes the codes: leave out -c and --target-codes")
        if not any(text.is_training for text in self._texts):
            raise ValueError("--learn needs a text to learn from (--trainpref)")
        if not hasattr(codec_class(args.encoder, args.compat).Options, "codes"):
            raise ValueError(f"--encoder {args.encoder} has no codes to learn")

    def _make(self, text: RawText, key: str) -> Codec:
        args = self._args
        given = dict(self._given)
        if text.is_target:
            for name, option in OF_TARGET.items():
                if getattr(args, name) is not None:
                    given[option] = getattr(args, name)
        if args.symbols is not None:
            given["codes"] = self._learned(key)
        given["carriage_return"] = args.carriage_return
        cls = codec_class(args.encoder, args.compat)
        cls.check(given, f"--encoder {args.encoder}", flag)
        codec = cls(**given)
        if "codes" in given:
            self.files[f"codes{key}"] = Path(given["codes"])
        return codec

    def _learned(self, key: str) -> Path:
        """Learns codes from the training texts of one key, into the folder of records; returns their path."""
        args = self._args
        inputs = [text.path for text in self._texts if text.is_training and self.key(text) == key]
        path = self._records.folder / f"codes{key}"
        settings = {name: getattr(args, name) for name in _LEARNING}
        settings["version"] = __version__
        step = f"learn{key}"
        outputs = [path, metadata_path_of(path)]
        if args.resume and self._records.read(step, settings, inputs, outputs) is not None:
            return path
        # Slow to import, and needed for learning only.
        from fairseq_subword_ext.subword.learner import learn_bpe

        with progress_bar("learning merges", args.symbols) as bar:
            table = learn_bpe(
                list(map(str, inputs)),
                carriage_return=args.carriage_return,
                progress=lambda merges: bar.update(merges - bar.n),
                **learning_options(args),
            )
        report_learning(table)
        self._records.folder.mkdir(parents=True, exist_ok=True)
        table.save(path)
        self._records.write(step, settings, inputs, outputs, {})
        return path


def copy_codes(files: Mapping[str, Path], folder: Path) -> None:
    """Copies the codes and their metadata into the output folder."""
    for name, path in files.items():
        for source, target in (
            (metadata_path_of(path), metadata_path_of(folder / name)),
            (path, folder / name),
        ):
            if not source.is_file():
                target.unlink(missing_ok=True)
            elif not target.exists() or not target.samefile(source):
                content = source.read_bytes()
                with atomic_writer(target) as stream:
                    stream.write(content)


def report_signatures(codecs: Mapping[str, Codec]) -> None:
    """Logs the signature of each codec."""
    for key, codec in codecs.items():
        log(f"signature{key and f' ({key[1:]})'}: {codec.signature()}")
