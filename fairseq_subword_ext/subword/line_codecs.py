"""The reversible codings of a line for Fairseq: byte-level subwords, bytes, characters.

One class each, used by the encoders (``--bpe``), by ``apply-bpe --encoder`` and by ``restore``, so
that all of them give the same symbols. For every line of Unicode scalar values
``decode(encode(line)) == line``, before and after Fairseq has read the symbols; decoding takes
whatever a model emits and never raises.
"""

import importlib
from typing import Optional

from fairseq_subword_ext.subword.line_codec import LineCodec
from fairseq_subword_ext.textio.files import PathLike

# (encoder, compat) -> module and class; those in WITH_CODES take a file. Only the one that is wanted is
# imported: a command that needs none should not wait for SentencePiece.
CODECS = {
    ("bbpe", None): ("byte_codecs", "ByteLevelBPE"),
    ("byte_level", None): ("byte_codecs", "ByteLevel"),
    ("char_level", None): ("char_codec", "CharLevel"),
    ("bbpe", "fairseq"): ("fairseq_codecs", "FairseqByteBPE"),
    ("byte_level", "fairseq"): ("fairseq_codecs", "FairseqBytes"),
    ("char_level", "fairseq"): ("fairseq_codecs", "FairseqCharacters"),
}
WITH_CODES = ("bbpe",)
ENCODERS = tuple(dict.fromkeys(encoder for encoder, _ in CODECS))
COMPAT = ("fairseq",)


def make_codec(
    encoder: str,
    codes: Optional[PathLike] = None,
    compat: Optional[str] = None,
    errors: str = "strict",
    fallback: bool = False,
) -> LineCodec:
    """The coding that an encoder's name and options stand for.

    Args:
        encoder: one of :data:`ENCODERS`.
        codes: for ``bbpe``: byte-level codes, or a SentencePiece model of byte text.
        compat: "fairseq" for what Fairseq's byte_bpe, bytes or characters does; None for the
            coding that loses nothing.
        errors: "strict", or "replace" for U+FFFD in the place of a lone surrogate and a space in
            the place of a newline.
        fallback: where the compiled core is missing, do without it and warn; see
            :class:`.ByteLevelBPE`.

    Raises:
        ValueError: where a name is unknown, or codes are missing, superfluous or broken.
        OSError: where the codes cannot be read.
        ImportError: where codes need the compiled core and it has not been built.
    """
    if (encoder, compat) not in CODECS:
        raise ValueError(
            f"found encoder {encoder!r} with compat {compat!r}; expected one of "
            f"{', '.join(ENCODERS)}, compat one of {', '.join(COMPAT)} or none"
        )
    module, name = CODECS[encoder, compat]
    codec = getattr(importlib.import_module(f"fairseq_subword_ext.subword.{module}"), name)
    if encoder in WITH_CODES:
        if codes is None:
            raise ValueError(f"{encoder} needs codes: byte-level codes, or a SentencePiece model")
        return codec(codes, errors=errors, fallback=fallback)
    if codes is not None:
        raise ValueError(f"{encoder} takes no codes, found {codes}")
    return codec(errors=errors)
