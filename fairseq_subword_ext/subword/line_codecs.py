"""The former place of ``make_codec``; use ``from fairseq_subword_ext import make_codec``."""

import warnings


def __getattr__(name: str):
    if name != "make_codec":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        f"{__name__} will be removed in the next release: use `from fairseq_subword_ext import make_codec`",
        DeprecationWarning,
        stacklevel=2,
    )
    import fairseq_subword_ext

    return fairseq_subword_ext.make_codec
