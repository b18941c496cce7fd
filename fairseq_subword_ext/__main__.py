"""Runs the command ``fairseq-subword`` as ``python -m fairseq_subword_ext``."""

import sys

from fairseq_subword_ext.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
