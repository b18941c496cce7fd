"""Exports byte-level merge tables as tiktoken ranks files: one token per line, in Base64, and its rank.

A rank is both the token's id and its place in the order of merging, so ids are not those of a
dictionary: the 256 bytes come first, then the merges. tiktoken merges any two neighbours whose
concatenation is a token, whichever pair was learned, so only a test shows whether it segments a text as
we do (:mod:`.export_check`).
"""

import base64
from typing import Dict

from fairseq_subword_ext.subword.byte_text import symbols_to_bytes
from fairseq_subword_ext.subword.merge_table import MergeTable

# Each space starts a piece. The text given to tiktoken is a space and the line.
PATTERN = " ?[^ ]+| "


def tiktoken_ranks(table: MergeTable) -> Dict[bytes, int]:
    """Returns the rank of each token.

    Raises:
        ValueError: If the unit is not bytes, or two merges make the same token.
    """
    if table.unit != "byte":
        raise ValueError(
            "tiktoken holds byte-level codes only (learn-bpe --unit byte); characters go to tokenizer.json"
        )
    ranks = {bytes([byte]): byte for byte in range(256)}
    for number, (left, right) in enumerate(table, 1):
        token = symbols_to_bytes(left + right)
        if token in ranks:
            raise ValueError(
                f"merge {number} ({left} {right}) makes a token that merge {ranks[token] - 255} makes too, "
                "and tiktoken has one rank for it: export to tokenizer.json, or use the merges before it "
                "(--merges)"
            )
        ranks[token] = len(ranks)
    return ranks


def format_ranks(ranks: Dict[bytes, int]) -> str:
    """Formats the content of the ranks file."""
    lines = (f"{base64.b64encode(token).decode('ascii')} {rank}\n" for token, rank in ranks.items())
    return "".join(lines)
