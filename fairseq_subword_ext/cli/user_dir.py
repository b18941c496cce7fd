"""Prints the folder for Fairseq's --user-dir: fairseq-train --user-dir "$(fairseq-subword user-dir)" ..."""

import argparse
from pathlib import Path

import fairseq_subword_ext
from fairseq_subword_ext.textio.files import naming


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command takes no arguments."""


def run(args: argparse.Namespace) -> None:
    """Prints the package's folder."""
    with naming("standard output"):
        print(Path(fairseq_subword_ext.__file__).parent)
