"""Runs the jobs of apply-bpe, restore and segment-baseline: all inputs as one text, or file by file."""

import argparse

from fairseq_subword_ext.cli.common import log, print_signature, workers
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.cli.text_arguments import output_of
from fairseq_subword_ext.cli.text_job import TextJob, drawn_seed
from fairseq_subword_ext.textio.block_stream import by_threads, segment_stream
from fairseq_subword_ext.textio.files import atomic_writer
from fairseq_subword_ext.textio.inputs import expand


def run_job(args: argparse.Namespace, job: TextJob) -> None:
    """Converts all inputs as one text, or each into its own file.

    Raises:
        ValueError: If the text or the flags cannot be used.
        OSError: If a file cannot be read or written.
    """
    if args.output_dir is not None:
        from fairseq_subword_ext.cli.folder_job import convert_into_folder

        convert_into_folder(args, job)
    else:
        _convert_joined(args, job)
    if job.signature is not None:
        print_signature(job.signature)


def _convert_joined(args: argparse.Namespace, job: TextJob) -> None:
    seed = drawn_seed(args, job)
    report = job.report()
    with (
        atomic_writer(args.output) as target,
        JoinedInput(expand(args.input), job.done) as source,
    ):
        try:
            lines = source.first_lines(job.peeks) if job.peeks else []
            segment_stream(
                source,
                target,
                job.coder(source.name, lambda: lines, seed),
                by_threads(workers(args)),
                output_of(args, args.output),
                report.see,
            )
        except ValueError as error:
            raise source.located(error) from None
    source.report_carriage_returns()
    warning = report.warning()
    if warning:
        log(warning)
