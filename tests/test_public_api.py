"""``from fairseq_subword_ext import ...``: the public names, and what importing them costs."""

import sys

import pytest
from conftest import run_command

import fairseq_subword_ext

NAMES = (
    "MergeTable", "Segmenter", "Vocabulary", "learn_bpe", "make_codec", "recover_utf8", "register",
    "register_encoding",
)  # fmt: skip


def test_the_public_names_are_what_they_are_elsewhere():
    from fairseq_subword_ext.codecs.registry import make_codec
    from fairseq_subword_ext.subword.segmenter import Segmenter

    with pytest.warns(DeprecationWarning, match="from fairseq_subword_ext import make_codec"):
        from fairseq_subword_ext.subword.line_codecs import make_codec as as_in_0_1

    assert fairseq_subword_ext.Segmenter is Segmenter
    assert fairseq_subword_ext.make_codec is make_codec is as_in_0_1
    assert set(NAMES) < set(dir(fairseq_subword_ext))
    assert set(NAMES) | {"__version__"} == set(fairseq_subword_ext.__all__)
    with pytest.raises(AttributeError, match="no attribute 'learn'"):
        fairseq_subword_ext.learn  # noqa: B018


def test_they_work_together_without_fairseq_and_torch(tmp_path):
    code = (
        f"from fairseq_subword_ext import {', '.join(NAMES)}\n"
        "table = learn_bpe({'low': 5, 'lower': 2, 'newest': 6, 'widest': 3}, num_symbols=10)\n"
        "table.save('codes')\n"
        "assert ''.join(Segmenter(MergeTable.load('codes')).segment('lowest')) == 'lowest'\n"
        "codec = make_codec('generalized_bpe', 'codes')\n"
        "assert codec.decode(codec.encode('the lowest')) == 'the lowest'\n"
        "assert recover_utf8(b'\\xe0\\xb6\\xe0\\xb6\\x9a') == '\\u0d9a'\n"
        "Vocabulary({'low': 1}).save('vocabulary')\n"
        "import sys\n"
        "print({m.split('.')[0] for m in sys.modules} & {'fairseq', 'torch', 'sentencepiece'})"
    )
    assert run_command(sys.executable, "-c", code, cwd=tmp_path).stdout == "set()\n"


def test_importing_the_package_imports_nothing_that_is_not_used():
    code = (
        "import sys, fairseq_subword_ext\n"
        "print(sorted(m for m in sys.modules if m.startswith('fairseq_subword_ext.')))"
    )
    assert run_command(sys.executable, "-c", code).stdout == (
        "['fairseq_subword_ext._user_dir', 'fairseq_subword_ext.version']\n"
    )
