"""What an encoding is: a codec between lines of text and symbols for Fairseq."""

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
    """What every encoding can be told.

    Attributes:
        errors: text that no line of UTF-8 can hold: ``strict``, or ``replace`` for U+FFFD in the place of
            a lone surrogate and a space in the place of a newline.
        fallback: do without the compiled core if it has not been built, with a warning.
        carriage_return: a ``\\r`` inside a line that :meth:`Codec.encode` is given. Only codecs of merge
            tables look at it; blocks of a file have a rule of their own.
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

    A subclass gives its name, :meth:`encode` and :meth:`reads`; what else it overrides makes it faster, or tells
    more about it. ``decode(encode(line)) == line`` for every line of Unicode scalar values, unless the
    class says otherwise.

    Args:
        options: fields of the class's ``Options``.

    Attributes:
        name: what the encoding is called: the value of ``--encoder`` and ``--bpe``.
        compat: the tool whose text this is, as ``--compat`` names it; None for ours.
        options: how it was made.
        split_separator: that of text that is suspect if most words are split to single characters, and
            the codes may be those of another language; None if that says nothing.

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
        """What its text looks like."""
        return self.reads()

    @classmethod
    def check(cls, given: Mapping[str, Any], who: str, spell: Callable[[str], str] = str) -> None:
        """Refuses options that the codec lacks, or that cannot be combined.

        Args:
            given: what was given: name -> value.
            who: what has the options, for messages.
            spell: how the front end writes an option's name.

        Raises:
            ValueError: naming the options.
        """
        check_options(cls.Options, given, who, spell, cls.RULES)

    @classmethod
    @abc.abstractmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        """What the encoding's text looks like.

        Args:
            separator: that of ``@@`` text; other notations have no use for it.
        """

    @abc.abstractmethod
    def encode(self, line: str) -> str:
        """Encodes one line without its newline.

        Raises:
            ValueError: naming the position of a lone surrogate or a newline.
        """

    def decode(self, line: str) -> str:
        """Decodes one line of symbols; never raises."""
        return self.notation.decode(line)

    def encode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """:meth:`encode` of every line.

        Args:
            lines: without their newlines.
            num_workers: threads, if the codec can use them; the result is the same. None for as many as
                there are processors, if there are enough lines for them.

        Raises:
            ValueError: naming the line, from 1, and the position in it.
        """
        encoded = []
        for number, line in enumerate(lines, 1):
            try:
                encoded.append(self.encode(line))
            except ValueError as error:
                raise ValueError(f"line {number}, {error}") from None
        return encoded

    def decode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """:meth:`decode` of every line; the arguments are those of :meth:`encode_lines`."""
        return self.notation.decode_lines(lines, num_workers)

    def block_coder(
        self, carriage_return: str = "error", name: str = "input", seed: Optional[int] = None
    ) -> BlockCoder:
        """What encodes blocks of lines, for :func:`.segment_stream` and :func:`.segment_files`.

        Args:
            carriage_return, name: as for :func:`.convert_stream`.
            seed: of an encoding that draws random numbers.
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
            num_workers: threads; the result is the same.

        Returns:
            The number of lines.

        Raises:
            ValueError: naming the line that is not UTF-8 or holds a carriage return.
        """
        coder = self.block_coder(carriage_return, name)
        return segment_stream(source, target, coder, by_threads(num_workers), output)

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, carriage_return: str = "error"
    ) -> IdEncoder:
        """What gives a dictionary's indices in place of symbols.

        Args:
            dictionary, append_eos: as for :meth:`.NativeSegmenter.id_encoder`.
            carriage_return: as for :func:`.convert_stream`.
        """
        return text_id_encoder(self, dictionary, append_eos, carriage_return)

    @property
    def fixed_symbols(self) -> List[str]:
        """The symbols that a dictionary holds whatever the text; empty if the text decides."""
        return []

    def may_make(self, symbol: str) -> bool:
        """Whether some text has this symbol in its encoding; True if the codec cannot tell."""
        return True

    def signature(self) -> str:
        """What was done, in one line that can be quoted with results."""
        codes: Optional[PathLike] = getattr(self.options, "codes", None)
        digest = None if codes is None else digest_of([codes])[:12]
        return format_signature({"encoder": self.name, "compat": self.compat, "codes": digest})

    def _encode_alone(self, lines: Sequence[str]) -> List[str]:
        return self.encode_lines(lines, num_workers=1)
