"""The old place of ``make_codec``, kept for 0.1; use ``from fairseq_subword_ext import make_codec``."""


def __getattr__(name: str):
    if name != "make_codec":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import fairseq_subword_ext

    return fairseq_subword_ext.make_codec
