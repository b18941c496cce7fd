"""``--output-dir``: converts many files, each into its own, and resumes after an interruption."""

import argparse
import os
from functools import partial
from pathlib import Path
from typing import Any, Dict, List, Optional

from fairseq_subword_ext.cli.common import log, workers
from fairseq_subword_ext.cli.folder_progress import ProgressReport
from fairseq_subword_ext.cli.joined_input import report_carriage_returns
from fairseq_subword_ext.cli.main import describe
from fairseq_subword_ext.cli.split_report import FileReports
from fairseq_subword_ext.cli.text_job import TextJob, check_level, compression_suffix, drawn_seed
from fairseq_subword_ext.textio.digests import digest_of, text_seed
from fairseq_subword_ext.textio.encoding import byte_order_mark_warning
from fairseq_subword_ext.textio.file_records import FileRecords, differences
from fairseq_subword_ext.textio.files import remove_leftovers
from fairseq_subword_ext.textio.inputs import expand
from fairseq_subword_ext.textio.many_files import (
    FileJob,
    SegmentedFile,
    file_version,
    segment_files,
)
from fairseq_subword_ext.textio.output_names import NamedOutput, name_outputs
from fairseq_subword_ext.textio.text_input import TextInput
from fairseq_subword_ext.version import __version__

# Arguments on which an output does not depend.
_NO_SETTINGS = {
    "command", "run", "input", "output", "output_dir", "relative_to", "suffix", "compression", "resume",
    "keep_going", "num_workers",
}  # fmt: skip


def convert_into_folder(args: argparse.Namespace, job: TextJob) -> None:
    """Converts each input into its own file.

    Raises:
        ValueError: As :func:`.segment_files` and :func:`.name_outputs`; if existing outputs were made
            with other settings; and, at the end, if ``--keep-going`` left files out.
        OSError: If a file cannot be read or written.
    """
    folder = Path(args.output_dir)
    records = FileRecords(folder)
    sources = expand(args.input)
    _refuse_own_outputs(sources, folder, records, args.command)
    named = name_outputs(
        sources,
        folder,
        args.relative_to,
        args.suffix,
        compression_suffix(args),
        _protected(args, job),
    )
    check_level(args, (output.compression for output in named))
    found = {output.name: records.read(output.name) for output in named} if args.resume else {}
    if hasattr(args, "seed"):
        if args.resume and args.seed is None:
            args.seed = next((r["settings"].get("seed") for r in found.values() if r), None)
        args.seed = drawn_seed(args, job)
    settings = _settings(args, job)
    left = [output for output in named if not _is_done(output, found.get(output.name), settings)]
    if len(left) < len(named):
        log(f"{len(named) - len(left)} of {len(named)} files are already done")
    targets = [folder / output.name for output in left]
    for parent in dict.fromkeys(target.parent for target in targets):
        parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(targets)
    records.begin(output.name for output in left)
    _convert(args, job, left, records, settings)


def _convert(
    args: argparse.Namespace,
    job: TextJob,
    outputs: List[NamedOutput],
    records: FileRecords,
    settings: Dict[str, Any],
) -> None:
    names = {}
    jobs = []
    for output in outputs:
        seed = text_seed(getattr(args, "seed", None), output.text)
        coder = job.coder(str(output.source), partial(_first_lines, output.source, job.peeks), seed)
        target = Path(args.output_dir, output.name)
        jobs.append(FileJob(output.source, target, coder, output.compression))
        names[target] = output.name
    reports = FileReports(job.report)

    def record(done: SegmentedFile) -> None:
        reports.end(done.job)
        records.write(names[done.job.target], done, settings)

    size = sum(each.source.stat().st_size for each in jobs)
    with ProgressReport(job.done, len(jobs), size) as report:
        done, failures = segment_files(
            jobs,
            workers(args),
            args.compression_level,
            args.keep_going,
            record,
            reports.see,
            report.progress,
            report.tick,
        )
    reports.warn()
    report_carriage_returns(
        f"{len(done)} files",
        sum(file.carriage_return_ends for file in done),
        sum(file.lone_carriage_returns for file in done),
    )
    marks = sum(file.has_mark for file in done)
    if marks:
        log(byte_order_mark_warning(f"{marks} of {len(done)} files begin"))
    for failure in failures:
        log(f"left out: {describe(failure)}")
    if failures:
        raise ValueError(
            f"{len(failures)} of {len(jobs)} files could not be {job.done}; see above, and continue with "
            "--resume"
        )


def _protected(args: argparse.Namespace, job: TextJob) -> List[str]:
    """The files that are read besides the text, which no output may replace."""
    paths: List[str] = []
    for name in job.files:
        value = getattr(args, name)
        paths += value if isinstance(value, list) else [value] if value is not None else []
    return paths


def _first_lines(path: Path, number: int) -> List[str]:
    with TextInput([str(path)]) as source:
        return source.first_lines(number)


def _settings(args: argparse.Namespace, job: TextJob) -> Dict[str, Any]:
    """Everything the outputs depend on: options by value, files by content."""
    ignored = _NO_SETTINGS | set(job.ignored)
    settings = {name: value for name, value in vars(args).items() if name not in ignored}
    for name in job.files:
        if settings[name] is not None:
            paths = settings[name] if isinstance(settings[name], list) else [settings[name]]
            if all(Path(path).is_file() for path in paths):  # a stream can be read only once
                settings[name] = digest_of(paths)[:16]
    return {**settings, "version": __version__}


def _is_done(
    output: NamedOutput, record: Optional[Dict[str, Any]], settings: Dict[str, Any]
) -> bool:
    if record is None:
        return False
    if record["source version"] != list(file_version(output.source)):
        log(f"{output.source}: has changed since; converting it again")
        return False
    changes = differences(record["settings"], settings)
    if changes:
        raise ValueError(
            f"--resume: {output.name} was made with other settings ({'; '.join(changes)}): give the "
            "same ones, or leave out --resume to convert all files again"
        )
    return True


def _refuse_own_outputs(
    sources: List[str], folder: Path, records: FileRecords, command: str
) -> None:
    """Refuses inputs that an earlier run wrote, which a glob may match."""
    for source in sources:
        inside = os.path.relpath(source, folder)
        if not inside.startswith("..") and records.path(inside).exists():
            raise ValueError(
                f"{source}: is itself an output of {command} in {folder}; exclude it from the "
                "inputs"
            )
