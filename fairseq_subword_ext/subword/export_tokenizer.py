"""Exports merge tables as ``tokenizer.json``, the format of Hugging Face's tokenizers.

Its BPE model merges the pair of lowest rank first, as ours does. For characters, the end-of-word marker
is the ``end_of_word_suffix``; bytes use GPT-2's table, which differs from fairseq's in the bytes that do
not represent themselves. Nothing is normalized, and words are split at U+0020 only.

No token is declared special: special tokens are recognized inside the text, where ``<s>`` is text.
"""

import json
from typing import Any, Dict

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.export_symbols import UNKNOWN, SymbolIds
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import END_OF_WORD


def _gpt2_symbols() -> Dict[int, str]:
    """Maps our stand-in of each byte to GPT-2's, which numbers the others without gaps from U+0100."""
    others = iter(range(0x100, 0x200))
    return {
        ord(symbol): symbol if ord(symbol) == byte else chr(next(others))
        for byte, symbol in enumerate(BYTE_SYMBOLS)
    }


_GPT2 = _gpt2_symbols()


def tokenizer_json(table: MergeTable, ids: SymbolIds) -> str:
    """Formats the content of ``tokenizer.json``.

    Args:
        table: a table accepted by :func:`.export_symbols.check_exportable`.
        ids: the ids of its symbols.
    """
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "post_processor": None,
        **(_bytes(table, ids) if table.unit == "byte" else _characters(table, ids)),
    }
    return json.dumps(tokenizer, ensure_ascii=False, indent=1) + "\n"


def _characters(table: MergeTable, ids: SymbolIds) -> Dict[str, Any]:
    return {
        "normalizer": None,
        "pre_tokenizer": _split_at_spaces("Removed"),
        "decoder": {"type": "BPEDecoder", "suffix": END_OF_WORD},
        "model": {
            **_model(table, ids, lambda symbol: symbol),
            "end_of_word_suffix": END_OF_WORD,
        },
    }


def _bytes(table: MergeTable, ids: SymbolIds) -> Dict[str, Any]:
    return {
        # An empty line stays empty.
        "normalizer": {"type": "Prepend", "prepend": " "},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [_split_at_spaces("MergedWithNext"), _byte_level()],
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [_byte_level(), {"type": "Strip", "content": " ", "start": 1, "stop": 0}],
        },
        "model": {
            **_model(table, ids, lambda symbol: symbol.translate(_GPT2)),
            "end_of_word_suffix": None,
        },
    }


def _split_at_spaces(behavior: str) -> Dict[str, Any]:
    return {"type": "Split", "pattern": {"String": " "}, "behavior": behavior, "invert": False}


def _byte_level() -> Dict[str, Any]:
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": False,
    }


def _model(table: MergeTable, ids: SymbolIds, spell: Any) -> Dict[str, Any]:
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": UNKNOWN,
        "continuing_subword_prefix": None,
        "fuse_unk": False,  # each unknown character is one <unk>, as in Fairseq
        "byte_fallback": False,
        # Merges apply even to a word that is in the vocabulary, since they may give another result.
        "ignore_merges": False,
        "vocab": {spell(symbol): number for symbol, number in ids.symbols.items()},
        "merges": [[spell(left), spell(right)] for left, right in table],
    }
