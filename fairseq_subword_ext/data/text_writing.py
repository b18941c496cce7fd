"""Segments texts into Fairseq's binary data, in a process of its own.

Training processes fork, which threads do not survive, so they never segment text themselves: they run
:func:`main` in a new process, which imports neither Fairseq nor torch. The job and its result are JSON.
"""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, Dict, List

from fairseq_subword_ext.codecs.binarizing import Machinery, binarize, encoding_by
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.registry import ENCODINGS, make_codec
from fairseq_subword_ext.subword.dictionary import CONTROL_SYMBOLS
from fairseq_subword_ext.subword.dictionary_file import DictionaryFile
from fairseq_subword_ext.subword.id_encoder import IdEncoder
from fairseq_subword_ext.textio.digests import digest_of
from fairseq_subword_ext.textio.pipeline import Workers, available_processors, take_turns

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from fairseq_subword_ext.data.text_writing import main; main()"
)
# At most one thread each: the process has its own.
_QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def write_texts(
    folder: Path, encoding: Dict[str, Any], dictionaries: List[List[str]], texts: List[dict]
) -> Dict[str, Any]:
    """Segments texts in another process.

    Args:
        folder: where to write ``NAME.bin`` and ``NAME.idx``.
        encoding: the arguments of :func:`.make_codec`.
        dictionaries: the symbols of each dictionary, control symbols included.
        texts: for each text its ``name``, ``path``, ``dictionary`` (an index into ``dictionaries``),
            ``dropout`` and ``seed``; and as ``known`` what :func:`read_before` compares, or None.

    Returns:
        name -> ``version`` and ``sha256`` of the text; ``lines``, ``tokens`` and ``unknown`` tokens.

    Raises:
        ValueError: If a text cannot be used; names the file, and the line if there is one.
        OSError: If a file cannot be read or written.
        RuntimeError: If the process is killed, or fails in another way.
    """
    job = {
        "folder": str(folder),
        "encoding": encoding,
        "registered": ENCODINGS[encoding["encoder"]],
        "dictionaries": dictionaries,
        "texts": texts,
        "parent": os.getpid(),
    }
    command = [sys.executable, "-c", _START, json.dumps(_search_path(job["registered"]))]
    done = subprocess.run(
        command,
        input=json.dumps(job, default=str).encode(),
        stdout=subprocess.PIPE,
        env={**os.environ, **_QUIET},
        check=False,
    )
    if done.returncode < 0:
        raise RuntimeError(
            f"the process that segments text was killed by signal {-done.returncode} (out of memory?)"
        )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError("the process that segments text failed; see its error above") from None
    if "errno" in answer:
        raise OSError(answer["errno"], answer["error"], answer["filename"])
    if "error" in answer:
        raise ValueError(answer["error"])
    return answer


def _search_path(registered: str) -> List[str]:
    """The module search path of a process that has to find this package and the encoding's module."""
    path = [str(Path(__file__).resolve().parents[2]), *sys.path]
    module = sys.modules.get(registered.partition(":")[0].partition(".")[0])
    if getattr(module, "__file__", None):
        package = Path(module.__file__)
        path.append(str(package.parents[1 if package.name == "__init__.py" else 0]))
    return path


def main() -> None:
    """Does the job on standard input, and prints the result."""
    job = json.load(sys.stdin)
    try:
        answer = _do(job)
    except OSError as error:
        answer = {
            "errno": error.errno,
            "error": error.strerror or str(error),
            "filename": None if error.filename is None else os.fspath(error.filename),
        }
    except (ValueError, ImportError) as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


def _do(job: Dict[str, Any]) -> Dict[str, Any]:
    arguments = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in job["encoding"].items()
    }
    ENCODINGS[arguments["encoder"]] = job["registered"]
    codec = make_codec(**arguments)
    dictionaries = [
        DictionaryFile([(symbol, 0) for symbol in symbols[CONTROL_SYMBOLS:]])
        for symbols in job["dictionaries"]
    ]
    encoders = [codec.id_encoder(each.indices, carriage_return="error") for each in dictionaries]
    threads = available_processors()
    results: Dict[str, Any] = {}
    largest_first = sorted(job["texts"], key=lambda text: -Path(text["path"]).stat().st_size)
    with Workers(threads) as workers:

        def works(turns) -> list:
            def check() -> None:
                turns.check()
                if os.getppid() != job["parent"]:
                    raise ValueError("the training process has ended")

            machinery = Machinery(workers, check)
            write = partial(_write, job, codec, dictionaries, encoders, machinery, results)
            return [write] * min(threads, len(largest_first))

        failures = take_turns(largest_first, works, tick=lambda: None)
    if failures:
        raise failures[min(failures)]
    return results


def _write(
    job: Dict[str, Any],
    codec: Codec,
    dictionaries: List[DictionaryFile],
    encoders: List[IdEncoder],
    machinery: Machinery,
    results: Dict[str, Any],
    text: Dict[str, Any],
) -> None:
    path = text["path"]
    content = read_before(path, text["known"])
    if text["known"] and content["sha256"] != text["known"]["sha256"]:
        raise ValueError(
            f"{path}: the text has changed since this run first read it; start the run again to train on "
            "the new text"
        )
    dictionary, encoder = dictionaries[text["dictionary"]], encoders[text["dictionary"]]
    dropout, seed = text["dropout"], text["seed"]
    encode = encoding_by(
        codec, lambda block, first: encoder.encode_block(block, first, dropout, seed)
    )
    done = binarize(path, Path(job["folder"]) / text["name"], encode, dictionary, machinery)
    counts = {"lines": done.lines, "tokens": done.tokens, "unknown": done.unknown}
    results[text["name"]] = {**content, **counts}


def read_before(path: str, known: Any) -> Dict[str, Any]:
    """The version of a text and the checksum of its content, which is computed only for a new version.

    Args:
        path: of the text.
        known: what this function returned before, or None.
    """
    status = Path(path).stat()
    # The last two cannot be set by a program, unlike the time of modification.
    version = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    if known and known["version"] == version:
        return {"version": version, "sha256": known["sha256"]}
    return {"version": version, "sha256": digest_of([path])}
