"""Checks of the encoders' options, shared so that their messages are alike."""

from typing import Optional

from fairseq import file_utils


def required_file(path: Optional[str], flag: str, encoder: str, what: str) -> str:
    """The local file that an option names.

    Options are optional for Fairseq, since a run that uses another encoder must not be asked for
    them; an encoder that needs one asks here.

    Args:
        path: the option's value: a path, or a URL, which Fairseq downloads.
        flag: the option as users type it.
        encoder: the name given to ``--bpe``.
        what: what the file has to be, for the message.

    Raises:
        ValueError: where the option or the file is missing.
    """
    if not path:
        raise ValueError(f"--bpe {encoder} needs {flag} FILE, {what}")
    try:
        return file_utils.cached_path(path)
    except OSError as error:
        raise ValueError(f"{flag} {path}: no such file; it has to be {what} ({error})") from None
