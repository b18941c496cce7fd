"""What every script of a recipe does with its arguments and with what goes wrong."""

import argparse
import os
import sys
from typing import Callable, Optional, Sequence


def make_parser(description: Optional[str]) -> argparse.ArgumentParser:
    """A parser that prints the script's docstring as it stands."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def run_script(
    parser: argparse.ArgumentParser,
    run: Callable[[argparse.Namespace], Optional[int]],
    argv: Optional[Sequence[str]] = None,
) -> int:
    """Parses the arguments and calls ``run`` with them.

    Returns:
        The exit status: what ``run`` returns, 0 for None; 1, after one line that says why, where it
        raises ValueError, OSError or ImportError.
    """
    args = parser.parse_args(argv)
    try:
        status = run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone, as in `... | head`. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError, ImportError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 1
    return status or 0
