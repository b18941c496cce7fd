"""The base class of encodings: a codec between lines of text and symbols for Fairseq."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO, Callable, ClassVar, List, Optional, Tuple, Type

from fairseq_subword_ext.codecs.encoded_text import text_id_encoder
from fairseq_subword_ext.codecs.notation import Notation, line_coder
from fairseq_subword_ext.subword.byte_text import ERRORS
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, IdEncoder
from fairseq_subword_ext.subword.options import Rule, check_choices, check_options, option
from fairseq_subword_ext.subword.signature import format_signature
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.block_stream import BlockCoder, by_threads, segment_stream
from fairseq_subword_ext.textio.compressed_output import PlainOutput
from fairseq_subword_ext.textio.digests import digest_of
from fairseq_subword_ext.textio.files import PathLike


@dataclass(frozen=True)
class CodecOptions:
    """The options of every encoding.

    Attributes:
        errors: what to do with text that cannot be a line of UTF-8: ``strict`` raises an error, ``replace``
            replaces a lone surrogate with U+FFFD and a newline with a space.
        fallback: if the compiled core has not been built, work without it, with a warning.
        carriage_return: what :meth:`Codec.encode` does with a ``\\r`` inside a line. Only codecs with merge
            tables use it; blocks of files have their own argument.
    """

    errors: str = option(
        "strict",
        "text that cannot be encoded (a lone surrogate, a newline): strict stops with its position, "
        "replace puts U+FFFD or a space there",
        choices=ERRORS,
        command=False,
    )
    fallback: bool = False
    carriage_return: str = "keep"

    def __post_init__(self) -> None:
        check_choices(self)


def codes_option(help: str) -> Any:
    """The field ``codes`` of encodings that merge; ``help`` says which codes."""
    return option(None, help, "-c", metavar="FILE", is_file=True, required=True)


def dropout_option() -> Any:
    """The field ``dropout`` of encodings that merge."""
    return option(
        0.0,
        "BPE-dropout: skip each merge with this probability; for training text only",
        type=float,
        metavar="P",
        fairseq=False,
    )


class Codec(abc.ABC):
    """Turns a line of text into symbols separated by spaces, and back.

    A subclass defines its name, :meth:`encode` and :meth:`reads`; other overrides make it faster or
    describe it further. ``decode(encode(line)) == line`` for every line of Unicode scalar values, unless the
    class says otherwise.

    Args:
        options: fields of the class's ``Options``.

    Attributes:
        name: the value of ``--encoder`` and ``--bpe``.
        compat: the tool whose notation it writes, as in ``--compat``; None for ours.
        options: the options in use.
        split_separator: the separator of text in which most words split into single characters only if
            the codes are those of another language; None if such text is normal.

    Raises:
        ValueError: If an option cannot be used.
        OSError: If a file cannot be read.
        ImportError: If the compiled core is needed and has not been built.
    """

    Options: ClassVar[Type[CodecOptions]] = CodecOptions
    RULES: ClassVar[Tuple[Rule, ...]] = ()
    name: ClassVar[str]
    compat: ClassVar[Optional[str]] = None

    split_separator: Optional[str] = None

    def __init__(self, **options: Any):
        self.check(options, self.name)
        self.options = self.Options(**options)

    @cached_property
    def notation(self) -> Notation:
        """The notation of the encoded text."""
        return self.reads()

    @classmethod
    def check(cls, given: Mapping[str, Any], who: str, spell: Callable[[str], str] = str) -> None:
        """Checks that the codec has the options and that they can be combined.

        Args:
            given: the options that the user gave: name -> value.
            who: the owner of the options, for messages.
            spell: gives an option's name as the user writes it.

        Raises:
            ValueError: If they cannot. Names the options.
        """
        check_options(cls.Options, given, who, spell, cls.RULES)

    @classmethod
    @abc.abstractmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        """Returns the notation of the encoded text.

        Args:
            separator: that of ``@@`` text; other notations ignore it.
        """

    @abc.abstractmethod
    def encode(self, line: str) -> str:
        """Encodes one line without its newline.

        Raises:
            ValueError: If the line contains a lone surrogate or a newline. Names the position.
        """

    def decode(self, line: str) -> str:
        """Decodes one line of symbols; never raises."""
        return self.notation.decode(line)

    def encode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """Encodes every line with :meth:`encode`.

        Args:
            lines: without their newlines.
            num_workers: number of threads, if the codec can use them; the output does not depend on it. None
                for the number of processors.

        Raises:
            ValueError: If a line cannot be encoded. Names the line, from 1, and the position in it.
        """
        encoded = []
        for number, line in enumerate(lines, 1):
            try:
                encoded.append(self.encode(line))
            except ValueError as error:
                raise ValueError(f"line {number}, {error}") from None
        return encoded

    def decode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """Decodes every line with :meth:`decode`; the arguments are those of :meth:`encode_lines`."""
        return self.notation.decode_lines(lines, num_workers)

    def block_coder(
        self, carriage_return: str = "error", name: str = "input", seed: Optional[int] = None
    ) -> BlockCoder:
        """Returns a coder of blocks of lines, for :func:`.segment_stream` and :func:`.segment_files`.

        Args:
            carriage_return, name: as for :func:`.convert_stream`.
            seed: for encodings that draw random numbers.
        """
        return line_coder(self._encode_alone, carriage_return, name)

    def encode_stream(
        self,
        source: BinaryIO,
        target: BinaryIO,
        carriage_return: str = "error",
        name: str = "input",
        num_workers: int = 1,
        output: Optional[PlainOutput] = None,
    ) -> int:
        """Encodes UTF-8 text from one stream to another, line for line.

        Args:
            source, target, output: as for :func:`.segment_stream`.
            carriage_return, name: as for :func:`.convert_stream`.
            num_workers: number of threads; the output does not depend on it.

        Returns:
            The number of lines.

        Raises:
            ValueError: If a line is not UTF-8 or contains a carriage return. Names the line.
        """
        coder = self.block_coder(carriage_return, name)
        return segment_stream(source, target, coder, by_threads(num_workers), output)

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, carriage_return: str = "error"
    ) -> IdEncoder:
        """Returns an encoder that gives dictionary indices instead of symbols.

        Args:
            dictionary, append_eos: as for :meth:`.NativeSegmenter.id_encoder`.
            carriage_return: as for :func:`.convert_stream`.
        """
        return text_id_encoder(self, dictionary, append_eos, carriage_return)

    @property
    def fixed_symbols(self) -> List[str]:
        """The symbols that belong in every dictionary of the encoding; empty if they depend on the text."""
        return []

    def known_symbols(self) -> Tuple[List[str], Optional[str]]:
        """Returns the symbols that encoding text, with or without dropout, is known to produce.

        Returns:
            The symbols, each once; and why text can have others, None if it cannot (apart from characters
            that were not in the training text of the codes).
        """
        fixed = self.fixed_symbols
        return fixed, None if fixed else f"the symbols of {self.name} depend on the text"

    def may_make(self, symbol: str) -> bool:
        """Returns whether the encoding of some text contains this symbol; True if that is unknown."""
        return True

    def signature(self) -> str:
        """Returns a one-line description of the encoding, to quote with results."""
        codes: Optional[PathLike] = getattr(self.options, "codes", None)
        digest = None if codes is None else digest_of([codes])[:12]
        return format_signature({"encoder": self.name, "compat": self.compat, "codes": digest})

    def _encode_alone(self, lines: Sequence[str]) -> List[str]:
        return self.encode_lines(lines, num_workers=1)
