"""``@@`` text: pieces of words, where every piece but the last of a word ends in the separator."""

from fairseq_subword_ext.codecs.notation import BOUNDARY, Notation, Sample
from fairseq_subword_ext.subword.escaping import check_separator, join_pieces, unescape
from fairseq_subword_ext.subword.symbols import SEPARATOR


class Pieces(Notation):
    """Pieces with the escapes of :mod:`.escaping`.

    Args:
        encoder: the encoding's name.
        separator: the end of every piece but the last of a word.

    Raises:
        ValueError: If the separator cannot be distinguished from text.
    """

    native = "pieces"

    def __init__(self, encoder: str = "generalized_bpe", separator: str = SEPARATOR):
        super().__init__(encoder)
        check_separator(separator)
        self.separator = separator
        self._inside = f"{separator} ".encode()

    def decode(self, line: str) -> str:
        # A model may print the escape of a newline, which no line contains.
        return join_pieces(line, self.separator).replace("\n", " ")

    def recognizes(self, sample: Sample) -> bool:
        return any(token.endswith(self.separator) for token in sample.tokens)

    def words(self, block: bytes) -> bytes:
        return block.replace(self._inside, BOUNDARY.encode())

    def raw(self, text: str) -> str:
        return unescape(text.replace(f"{self.separator} ", ""))

    def starts_word(self, token, before):
        return before is None or not before.endswith(self.separator)

    def piece(self, token: str) -> str:
        return unescape(token[: -len(self.separator)] if token.endswith(self.separator) else token)


class UnescapedPieces(Pieces):
    """Pieces as subword-nmt writes them: what looks like an escape is literal text."""

    native = "unescaped"

    def __init__(self, encoder: str = "generalized_bpe", separator: str = SEPARATOR):
        Notation.__init__(self, encoder)
        self.separator = separator
        self._inside = f"{separator} ".encode()

    def decode(self, line: str) -> str:
        return (line + " ").replace(f"{self.separator} ", "").rstrip(" ")
