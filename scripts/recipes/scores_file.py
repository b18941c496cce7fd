"""Writing scores.json, which table.py describes."""

import json
from pathlib import Path
from typing import Any, Dict

from fairseq_subword_ext.textio.files import atomic_text_writer


def write_scores(path: Path, scores: Dict[str, Any]) -> None:
    """Writes the file, completely or not at all."""
    with atomic_text_writer(path) as stream:
        json.dump(scores, stream, indent=1)
        stream.write("\n")
