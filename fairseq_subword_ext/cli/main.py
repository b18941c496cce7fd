"""The command ``fairseq-subword``: finds the sub-command's module and runs it.

A sub-command is a module of this package with ``add_arguments(parser)`` and ``run(args)``. It may also
have ``further_outputs(args)``, the files that it writes besides those named by arguments, and
``MEMORY_ADVICE``, what to do if memory runs out. Only the chosen module is imported, so that no command
waits for, or depends on, the imports of another.
"""

import argparse
import errno
import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import List, Optional

from fairseq_subword_ext.textio.files import PathLike, naming
from fairseq_subword_ext.textio.output_files import OutputFile, check_outputs, existing
from fairseq_subword_ext.version import __version__

PROGRAM = "fairseq-subword"

# name -> summary, in the order of the help text; the module is the name with underscores.
COMMANDS = {
    "learn-bpe": "learn a merge table from text",
    "apply-bpe": "segment text with a merge table",
    "restore": "undo any segmentation: @@, byte-level or characters",
    "suggest-size": "suggest how many merges to learn, from the training text",
    "count-words": "count the words of text of any size, on one machine or many",
    "get-vocab": "count the subwords of segmented text",
    "learn-joint-bpe-and-vocab": "learn one merge table from several texts, and count the subwords of each",
    "build-dict": "write Fairseq's dictionary from segmented text or from codes",
    "binarize": "segment raw text and write Fairseq's binary data in one step",
    "segment-baseline": "segment text with a baseline: words, characters, n-grams, compounds, ...",
    "explain": "show how words are segmented, or how merges are learned, step by step",
    "score": "score translations: BLEU, chrF, F1 of rare words, significance",
    "stats": "measure segmentations: tables, plots and an HTML page",
    "export": "export codes to tokenizer.json or tiktoken",
    "average-checkpoints": "average the parameters of several Fairseq checkpoints",
    "package-model": "pack a finished model into one archive that from_pretrained loads",
    "export-model": "export a model for translate, which needs neither Fairseq nor torch",
    "translate": "translate text with an exported model",
    "user-dir": "print the path for Fairseq's --user-dir",
}


def build_parser(command: Optional[str] = None) -> argparse.ArgumentParser:
    """Builds the parser; only ``command`` gets its arguments.

    Args:
        command: the sub-command that will run; None for the overview only.
    """
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Subword segmentation, and its evaluation, for neural machine translation.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        if name != command:
            subparsers.add_parser(name, help=summary, add_help=False)
            continue
        module = command_module(name)
        subparser = subparsers.add_parser(
            name,
            help=summary,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def command_module(name: str):
    """Imports the module of one sub-command."""
    return importlib.import_module(f"fairseq_subword_ext.cli.{name.replace('-', '_')}")


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs one command.

    Returns:
        The exit status: 0; 1 for invalid input (explained in one line on stderr); 130 after Ctrl-C.
        argparse itself exits with 2 for an invalid command line.
    """
    replace_closed_streams()
    # No command multiplies matrices with NumPy, whose library for that starts threads that wait busily.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = next((word for word in arguments if not word.startswith("-")), None)
    parser = build_parser(command)
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        parser.error(describe_unknown(unknown, args))
    module = command_module(args.command)
    gc.freeze()  # modules live to the end: no collection need look at them
    try:
        further_outputs = getattr(module, "further_outputs", None)
        check_files(args, further_outputs(args) if further_outputs else ())
        args.run(args)
        with naming("standard output"):
            sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"{PROGRAM} {args.command}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader is gone, as in `... | head`. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError, ImportError, MemoryError) as error:
        message = describe(error)
        if isinstance(error, MemoryError) and hasattr(module, "MEMORY_ADVICE"):
            message += f"; {module.MEMORY_ADVICE}"
        print(f"{PROGRAM} {args.command}: error: {message}", file=sys.stderr)
        ClosedStream.ended = True
        return 1
    return 0


def describe_unknown(unknown: Sequence[str], args: argparse.Namespace) -> str:
    """The error message for unknown arguments."""
    message = f"unrecognized arguments: {' '.join(unknown)}"
    if "input" in vars(args) and not any(word.startswith("-") for word in unknown):
        return f"{message} (input files are given with -i)"
    return message


def check_files(args: argparse.Namespace, further_outputs: Sequence[Path] = ()) -> None:
    """Refuses outputs that cannot be written or would replace a file named by another argument.

    Args:
        args: the command's arguments.
        further_outputs: files that no argument names.

    Raises:
        ValueError, OSError: As :func:`.check_outputs`.
    """
    outputs: List[PathLike] = []
    others: List[str] = []
    for value in vars(args).values():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, OutputFile):
                outputs.append(word)
            elif isinstance(word, str):
                # A path, or a path after a name, as in NAME=FILE.
                others += [word, word.partition("=")[2] or word]
    outputs += further_outputs
    if outputs:
        check_outputs(outputs, existing(others))


class ClosedStream(io.RawIOBase):
    """Replaces a standard stream that the caller closed; any use raises an error.

    Args:
        name: the name of the stream, for the message.

    Attributes:
        ended: whether the command has reported an error; Python flushes what is left when it exits, which
            is dropped then.
    """

    ended = False

    def __init__(self, name: str):
        self.name = name

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer):
        raise OSError(errno.EBADF, "the stream is closed", self.name)

    def write(self, data):
        if self.ended:
            return len(data)
        raise OSError(errno.EBADF, "the stream is closed", self.name)


def replace_closed_streams() -> None:
    """Replaces standard streams that are None, as under some schedulers or after ``<&-``.

    With a standard error of None, messages would be printed to standard output.
    """
    ClosedStream.ended = False
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(ClosedStream("standard input")))
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(ClosedStream("standard output")))
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"))


def describe(error: BaseException) -> str:
    """An error in one line; an operating-system error with its file name."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return "out of memory"
    return " ".join(str(error).split("\n"))
