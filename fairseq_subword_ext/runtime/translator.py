"""Text in, translations out: segmentation, batches by length, search, and text again."""

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
        text: as a line of text.
        score: as in the H- lines of fairseq-generate, but with the natural logarithm.
    """

    text: str
    score: float


@dataclass
class TranslationCounts:
    """What happened on the way.

    Attributes:
        lines: translated.
        unknown: symbols of the sources that the dictionary lacks.
        symbols: of the sources, ``</s>`` and language tokens not counted.
        cut: the numbers of lines longer than the model's positions, from 1.
        at_limit: lines whose best translation is as long as was allowed.
    """

    lines: int = 0
    unknown: int = 0
    symbols: int = 0
    cut: List[int] = field(default_factory=list)
    at_limit: int = 0


@dataclass(frozen=True)
class BatchLimits:
    """How large a batch may be.

    Attributes:
        lines: the most lines.
        tokens: the most source symbols, padding counted; a longer line is a batch of its own.
    """

    lines: int = 32
    tokens: int = 8000


class Translator:
    """A model that ``export-model`` wrote, ready to translate.

    Args:
        folder: of the export.
        options: of the search; None for the model's defaults. Its ``suppressed`` is set here.
        source_language: for a model that was trained with ``--source-lang-token``.
        batches: how large a batch may be; the translations do not depend on it.
        threads: that one operation may use.

    Attributes:
        settings: of the export.
        counts: of all lines so far.

    Raises:
        ValueError: If the folder is no export, or an option does not fit the model.
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
                    "that it takes no language"
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
            lines: of raw text, without their newlines.
            progress: called with the number of lines after each batch.

        Returns:
            Per line its translations, best first: as many as the beam is wide, or fewer at the length
            limit.

        Raises:
            ValueError: If a line cannot be encoded, naming its number, or a graph fails.
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
        """The ids of each line, with its language token and ``</s>``, cut at the model's positions."""
        sources = []
        limit = self.settings.source_positions
        for number, symbols in enumerate(
            self._coding.encode(list(lines), self._threads), self.counts.lines + 1
        ):
            # As Fairseq reads a line: at any white space.
            ids = [self._ids.get(symbol, UNK) for symbol in symbols.split()]
            self.counts.symbols += len(ids)
            self.counts.unknown += ids.count(UNK)
            source = [*self._prefix, *ids]
            if len(source) + 1 > limit:
                self.counts.cut.append(number)
            sources.append([*source[: limit - 1], EOS])
        return sources

    def texts_of(self, outputs: Sequence[Sequence[int]]) -> List[str]:
        """Lines of text of symbols' ids."""
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
    """The search that a model is used with unless something else is asked."""
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
    """Groups lines of similar lengths, the longest first.

    Args:
        lengths: of the lines.
        limits: of a batch.

    Yields:
        The places of a batch's lines.
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
