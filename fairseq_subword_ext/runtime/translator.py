"""Translates text: segmentation, batching by length, beam search, and joining back into text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional

from fairseq_subword_ext.runtime.beam_search import (
    Hypothesis,
    SearchOptions,
    check_options,
    translate_batch,
)
from fairseq_subword_ext.runtime.export_folder import (
    CONTROL_SYMBOLS,
    EOS,
    SOURCE_DICTIONARY,
    TARGET_DICTIONARY,
    UNK,
    ExportSettings,
    read_dictionary,
)
from fairseq_subword_ext.runtime.line_coding import line_coding
from fairseq_subword_ext.runtime.sessions import ExportedModel
from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN, language_token
from fairseq_subword_ext.textio.files import PathLike


class Translation(NamedTuple):
    """One translation of a line.

    Attributes:
        text: the translation as a line of text.
        score: as in fairseq-generate's H- lines, but with the natural logarithm.
    """

    text: str
    score: float


@dataclass
class TranslationCounts:
    """Counts over all translated lines.

    Attributes:
        lines: number of lines.
        unknown: source symbols that are not in the dictionary.
        symbols: source symbols, not counting ``</s>`` and language tokens.
        cut: numbers, from 1, of the lines that were longer than the model allows and were cut.
        at_limit: lines whose best translation reached the length limit.
    """

    lines: int = 0
    unknown: int = 0
    symbols: int = 0
    cut: List[int] = field(default_factory=list)
    at_limit: int = 0


@dataclass(frozen=True)
class BatchLimits:
    """Limits on the size of a batch.

    Attributes:
        lines: maximum number of lines.
        tokens: maximum number of source symbols, padding included; a longer line gets its own batch.
    """

    lines: int = 32
    tokens: int = 8000


class Translator:
    """A model written by ``export-model``, ready to translate.

    Args:
        folder: the export folder.
        options: the search options; None for the model's defaults. ``suppressed`` is set here.
        source_language: for a model trained with ``--source-lang-token``.
        batches: limits on the batch size; they do not affect the translations.
        threads: maximum number of threads per operation.

    Attributes:
        settings: the export's settings.
        counts: counts over all lines so far.

    Raises:
        ValueError: If the folder is not an export, or an option does not suit the model.
        OSError: If a file cannot be read.
        ImportError: If onnxruntime is not installed.
    """

    def __init__(
        self,
        folder: PathLike,
        options: Optional[SearchOptions] = None,
        source_language: Optional[str] = None,
        batches: BatchLimits = BatchLimits(),
        threads: int = 1,
    ):
        folder = Path(folder)
        self.settings = ExportSettings.load(folder)
        settings = self.settings
        self.counts = TranslationCounts()
        source = read_dictionary(folder, SOURCE_DICTIONARY, settings.source_symbols)
        self._symbols = read_dictionary(folder, TARGET_DICTIONARY, settings.target_symbols)
        self._ids: Dict[str, int] = {symbol: number for number, symbol in enumerate(source)}
        self._prefix = self._language_prefix(source_language)
        hidden = [
            number
            for number, symbol in enumerate(self._symbols)
            if settings.hides_language_tokens and LANGUAGE_TOKEN.fullmatch(symbol)
        ]
        self.options = replace(options or default_options(settings), suppressed=tuple(hidden))
        check_options(self.options, settings.target_symbols, settings.target_positions)
        if batches.lines < 1 or batches.tokens < 1:
            raise ValueError("a batch needs at least one line and one token")
        self._batches, self._threads = batches, threads
        self._coding = line_coding(folder, settings)
        self._model = ExportedModel(folder, settings, threads)

    def _language_prefix(self, language: Optional[str]) -> List[int]:
        if not self.settings.language_token:
            if language is not None:
                raise ValueError(
                    f"--source-lang {language}: the model was trained without --source-lang-token, so "
                    "it takes no language"
                )
            return []
        known = [symbol for symbol in self._ids if LANGUAGE_TOKEN.fullmatch(symbol)]
        languages = ", ".join(LANGUAGE_TOKEN.fullmatch(symbol)["language"] for symbol in known)
        if language is None:
            raise ValueError(
                "the model was trained with --source-lang-token: give the language of the input, "
                f"--source-lang LANG (it knows {languages})"
            )
        if language_token(language) not in self._ids:
            raise ValueError(f"--source-lang {language}: the model knows {languages}")
        return [self._ids[language_token(language)]]

    def translate(
        self, lines: Sequence[str], progress: Optional[Callable[[int], None]] = None
    ) -> List[List[Translation]]:
        """Translates lines.

        Args:
            lines: raw text without newlines.
            progress: called after each batch with its number of lines.

        Returns:
            The translations of each line, best first: one per beam, or fewer at the length limit.

        Raises:
            ValueError: If a line cannot be encoded (the message has its number), or a graph fails.
        """
        sources = self.sources_of(lines)
        found: List[List[Hypothesis]] = [[] for _ in sources]
        for batch in batches_by_length([len(source) for source in sources], self._batches):
            rows = [sources[number] for number in batch]
            results = translate_batch(
                self._model, rows, self.options, self.settings.target_positions
            )
            for number, hypotheses in zip(batch, results):
                found[number] = hypotheses
            if progress is not None:
                progress(len(batch))
        self.counts.lines += len(lines)
        self.counts.at_limit += sum(bool(best) and best[0].at_limit for best in found)
        texts = iter(self.texts_of([h.symbols for best in found for h in best]))
        return [[Translation(next(texts), h.score) for h in best] for best in found]

    def sources_of(self, lines: Sequence[str]) -> List[List[int]]:
        """The ids of each line, with language token and ``</s>``, cut to the model's maximum length."""
        sources = []
        limit = self.settings.source_positions
        for number, symbols in enumerate(
            self._coding.encode(list(lines), self._threads), self.counts.lines + 1
        ):
            # Fairseq splits a line at any whitespace.
            ids = [self._ids.get(symbol, UNK) for symbol in symbols.split()]
            self.counts.symbols += len(ids)
            self.counts.unknown += ids.count(UNK)
            source = [*self._prefix, *ids]
            if len(source) + 1 > limit:
                self.counts.cut.append(number)
            sources.append([*source[: limit - 1], EOS])
        return sources

    def texts_of(self, outputs: Sequence[Sequence[int]]) -> List[str]:
        """Turns ids into lines of text."""
        left_out = {*CONTROL_SYMBOLS[:UNK]}
        segmented = [
            " ".join(
                self._symbols[number]
                for number in output
                if self._symbols[number] not in left_out and number not in self.options.suppressed
            )
            for output in outputs
        ]
        return self._coding.decode(segmented, self._threads)


def default_options(settings: ExportSettings) -> SearchOptions:
    """The search options that a model uses by default."""
    return SearchOptions(
        beam=settings.beam,
        lenpen=settings.lenpen,
        unnormalized=settings.unnormalized,
        unkpen=settings.unkpen,
        min_len=settings.min_len,
        max_len_a=settings.max_len_a,
        max_len_b=settings.max_len_b,
    )


def batches_by_length(lengths: Sequence[int], limits: BatchLimits) -> Iterator[List[int]]:
    """Groups lines of similar length, longest first.

    Args:
        lengths: length of each line.
        limits: limits on the batch size.

    Yields:
        The indices of the lines of each batch.
    """
    batch: List[int] = []
    longest = 0
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        longest = longest or lengths[place]
        if len(batch) == limits.lines or (batch and (len(batch) + 1) * longest > limits.tokens):
            yield batch
            batch, longest = [], lengths[place]
        batch.append(place)
    if batch:
        yield batch
