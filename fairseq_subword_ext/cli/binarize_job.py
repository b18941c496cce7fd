"""The steps of ``binarize``: count, make dictionaries, write. Each can be resumed."""

import argparse
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from fairseq_subword_ext.cli.binarize_codes import Codecs, copy_codes
from fairseq_subword_ext.cli.binarize_texts import RawText, dictionary_name, same_length
from fairseq_subword_ext.cli.common import log, workers
from fairseq_subword_ext.cli.folder_progress import ProgressReport
from fairseq_subword_ext.codecs.binarizing import (
    BinarizedText,
    Machinery,
    binarize,
    collect,
    encoding_by,
    renumber,
)
from fairseq_subword_ext.codecs.growing_ids import CountedTokens, FirstIds, GrowingIds
from fairseq_subword_ext.subword.dictionary_file import DictionaryFile
from fairseq_subword_ext.subword.merge_table import metadata_path_of
from fairseq_subword_ext.textio.digests import digest_of, text_seed
from fairseq_subword_ext.textio.files import remove_leftovers
from fairseq_subword_ext.textio.indexed_dataset import dataset_files
from fairseq_subword_ext.textio.pipeline import Workers, take_turns
from fairseq_subword_ext.textio.step_records import StepRecords

RECORD = "binarize.json"


class BinarizeJob:
    """One run of ``binarize``.

    Args:
        args: the command's arguments.
        texts: all texts.
        codecs: segment the texts.
        records: of the output folder.
        settings: what segmentation depends on besides the codes.
    """

    def __init__(
        self,
        args: argparse.Namespace,
        texts: List[RawText],
        codecs: Codecs,
        records: StepRecords,
        settings: Mapping[str, Any],
    ):
        self._args = args
        self._texts = texts
        self._codecs = codecs
        self._records = records
        self._folder = Path(args.destdir)
        self._settings = {text.name: self._settings_of(text, settings) for text in texts}
        self._first: Dict[str, FirstIds] = {}
        self._counts: Dict[str, Tuple[BinarizedText, CountedTokens]] = {}  # by the text's name
        self.results: Dict[str, BinarizedText] = {}
        self.dictionaries: Dict[str, DictionaryFile] = {}

    def run(self) -> None:
        """Runs the remaining steps.

        Raises:
            ValueError: If a text or dictionary cannot be used.
            OSError: If a file cannot be read or written.
        """
        for text in self._texts:
            self._codecs.of(text)  # before any work: codes may be missing
        self._remove_leftovers()
        given = self._given_dictionaries()
        counted = [t for t in self._texts if t.is_training and self._dictionary_of(t) not in given]
        lacking = (
            {self._dictionary_of(text) for text in self._texts}
            - {self._dictionary_of(text) for text in counted}
            - set(given)
        )
        if lacking:
            raise ValueError(
                f"{', '.join(sorted(lacking))}: no training text to count it from (--trainpref), and no "
                "dictionary given (--srcdict, --tgtdict)"
            )
        self._count(counted)
        self.dictionaries = {**given, **self._made_dictionaries(counted)}
        self._write_all()

    # Dictionaries.

    def _dictionary_of(self, text: RawText) -> str:
        """Returns the key of a text's dictionary."""
        return "joined" if self._args.joined_dictionary else dictionary_name(text.language)

    def _given_dictionaries(self) -> Dict[str, DictionaryFile]:
        args = self._args
        given = {}
        for text in self._texts:
            path = args.tgtdict if text.is_target else args.srcdict
            if args.joined_dictionary:
                path = args.srcdict or args.tgtdict
            if path is not None and self._dictionary_of(text) not in given:
                given[self._dictionary_of(text)] = DictionaryFile.load(path)
        return given

    def _made_dictionaries(self, counted: List[RawText]) -> Dict[str, DictionaryFile]:
        args = self._args
        texts: Dict[str, List[RawText]] = {}
        for text in counted:
            texts.setdefault(self._dictionary_of(text), []).append(text)
        made = {}
        for key, members in texts.items():
            is_target = members[0].is_target and not args.joined_dictionary
            num_words = args.nwordstgt if is_target else args.nwordssrc
            made[key] = DictionaryFile.counted(
                (self._counts[text.name][1].by_token() for text in members),
                args.thresholdtgt if is_target else args.thresholdsrc,
                num_words if num_words > 0 else None,
                args.padding_factor,
            )
        return made

    # The first pass: reads the texts that dictionaries are counted from.

    def _count(self, counted: List[RawText]) -> None:
        left = []
        for text in counted:
            found = self._recorded(f"{text.name}.counts", text, [])
            if found is None:
                left.append(text)
            else:
                counted_tokens = CountedTokens.from_lists(found["tokens"])
                self._counts[text.name] = BinarizedText(**found["text"]), counted_tokens
        if not left:
            return
        self._records.forget(f"{text.name}.counts" for text in left)
        self._records.folder.mkdir(parents=True, exist_ok=True)
        for text in left:
            key = self._codecs.key(text)
            if key not in self._first:
                self._first[key] = FirstIds(self._codecs.of(text), self._args.carriage_return)
        self._for_each(left, self._count_one, "read")
        same_length([(text, self._counts[text.name][0].lines) for text in counted])

    def _count_one(self, text: RawText, machinery: Machinery) -> None:
        codec = self._codecs.of(text)
        first = self._first[self._codecs.key(text)]
        growing = GrowingIds(first, str(text.path), self._seed(text))
        encode = encoding_by(codec, growing.encode)
        done = collect(text.path, self._collected(text), growing, encode, machinery)
        tokens = growing.counted()
        results = {"text": asdict(done), "tokens": tokens.to_lists()}
        self._record(f"{text.name}.counts", text, [], results)
        self._counts[text.name] = done, tokens

    def _collected(self, text: RawText) -> Path:
        return self._records.folder / text.name

    # The second pass: writes all texts with their final ids.

    def _write_all(self) -> None:
        keys = {text.name: self._dictionary(text).digest for text in self._texts}
        left = []
        for text in self._texts:
            found = self._recorded(text.name, text, self._files([text], self._folder), keys)
            if found is None:
                left.append(text)
            else:
                self.results[text.name] = BinarizedText(**found)
        if len(left) < len(self._texts):
            log(f"{len(self._texts) - len(left)} of {len(self._texts)} texts are already done")
        # An interruption from here on must not leave an index beside the dictionary of another run.
        self._records.forget(text.name for text in left)
        (self._folder / RECORD).unlink(missing_ok=True)
        for text in left:
            dataset_files(self._folder / text.name)[1].unlink(missing_ok=True)
        for text in self._texts:
            self._dictionary(text).save(self._folder / dictionary_name(text.language))
        copy_codes(self._codecs.files, self._folder)
        self._for_each(left, partial(self._write_one, keys), "binarized")
        same_length([(text, self.results[text.name].lines) for text in self._texts])
        for path in self._files(self._texts, self._records.folder):
            path.unlink(missing_ok=True)

    def _write_one(self, keys: Mapping[str, str], text: RawText, machinery: Machinery) -> None:
        prefix = self._folder / text.name
        dictionary = self._dictionary(text)
        collected = self._collected(text)
        if text.name in self._counts and all(map(Path.is_file, dataset_files(collected))):
            done, tokens = self._counts[text.name]
            unknown = renumber(collected, prefix, tokens, dictionary, machinery)
            done = replace(done, unknown=unknown)
        else:
            codec = self._codecs.of(text)
            encoder = codec.id_encoder(
                dictionary.indices, carriage_return=self._args.carriage_return
            )
            # Dropout is for training only; codecs without dropout refuse any other value.
            dropout = None if text.is_training else 0.0
            seed = self._seed(text)
            encode = encoding_by(
                codec,
                lambda block, first_line: encoder.encode_block(block, first_line, dropout, seed),
            )
            done = binarize(text.path, prefix, encode, dictionary, machinery)
        self.results[text.name] = done
        outputs = self._files([text], self._folder)
        self._record(text.name, text, outputs, asdict(done), keys)

    def _dictionary(self, text: RawText) -> DictionaryFile:
        return self.dictionaries[self._dictionary_of(text)]

    # Both passes.

    def _remove_leftovers(self) -> None:
        """Removes temporary files that killed processes left beside the outputs."""
        targets = [self._folder / RECORD]
        for folder in (self._folder, self._records.folder):
            targets += self._files(self._texts, folder)
            for name in self._codecs.files:
                targets += [folder / name, metadata_path_of(folder / name)]
        targets += [self._folder / dictionary_name(text.language) for text in self._texts]
        remove_leftovers(targets)

    def _for_each(
        self, texts: List[RawText], do: Callable[[RawText, Machinery], None], done: str
    ) -> None:
        """Processes several texts at once, with one shared set of threads."""
        if not texts:
            return
        threads = workers(self._args)
        size = sum(text.path.stat().st_size for text in texts)
        with ProgressReport(done, len(texts), size) as report, Workers(threads) as shared:

            def works(turns):
                def work(text: RawText) -> None:
                    do(text, Machinery(shared, turns.check, report.progress))
                    report.progress.add(files=1)

                return [work] * min(threads, len(texts))

            failures = take_turns(texts, works, tick=report.tick)
            if failures:
                raise failures[min(failures)]

    def _seed(self, text: RawText) -> Optional[int]:
        return text_seed(self._args.seed, text.name) if text.is_training else None

    def _settings_of(self, text: RawText, settings: Mapping[str, Any]) -> Dict[str, Any]:
        codes = getattr(self._codecs.of(text).options, "codes", None)
        vocabulary = getattr(self._codecs.of(text).options, "vocabulary", None)
        return {
            **settings,
            "codes": codes and digest_of([codes]),
            "vocabulary": vocabulary and digest_of([vocabulary]),
            "training": text.is_training,
        }

    def _recorded(
        self,
        step: str,
        text: RawText,
        outputs: List[Path],
        dictionaries: Mapping[str, str] = {},
    ) -> Optional[Dict[str, Any]]:
        if not self._args.resume:
            return None
        settings = self._with_dictionary(text, dictionaries)
        return self._records.read(step, settings, [text.path], outputs)

    def _record(
        self,
        step: str,
        text: RawText,
        outputs: List[Path],
        results: Mapping[str, Any],
        dictionaries: Mapping[str, str] = {},
    ) -> None:
        settings = self._with_dictionary(text, dictionaries)
        self._records.write(step, settings, [text.path], outputs, results)

    def _with_dictionary(self, text: RawText, dictionaries: Mapping[str, str]) -> Dict[str, Any]:
        return {**self._settings[text.name], "dictionary": dictionaries.get(text.name)}

    @staticmethod
    def _files(texts: List[RawText], folder: Path) -> List[Path]:
        return [path for text in texts for path in dataset_files(folder / text.name)]
