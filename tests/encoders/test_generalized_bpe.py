"""The encoder generalized_bpe inside Fairseq's own commands: apply-bpe's pieces, and the text back."""

import json
import re
import shutil
import sys

import pytest
from conftest import PACKAGE, run_command

# Text that Fairseq or subword-nmt damage: Unicode spaces, control strings, separators.
LINES = [
    "low lower newest widest",
    "10\xa0km \xa0x a\u3000b\ta\u2028b\x85 \u202f",
    "a </s> b <s> <pad> <unk> madeupword0000",
    "␛A0; ␛ @@ a@@ @@b",
    "<s>hello</s>",
    "ප්‍රේමදාස ශ්‍රී ක\u200cක",
    "é e\u0301",
    "",
    "x",
]
TRAINING = "low low low low low lower lower <s>low</s> @@ newest newest widest <s>a</s> a@@\n" * 3

TINY = (
    "--arch transformer --encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 8 "
    "--decoder-embed-dim 8 --encoder-ffn-embed-dim 8 --decoder-ffn-embed-dim 8 "
    "--encoder-attention-heads 1 --decoder-attention-heads 1 --share-all-embeddings "
    "--optimizer adam --lr 0.01 --max-tokens 4000 --max-update 2 --cpu --num-workers 0 "
    "--required-batch-size-multiple 1 --no-epoch-checkpoints --log-format none"
).split()
EVALUATE = "--cpu --beam 2 --max-len-b 30 --required-batch-size-multiple 1 --num-workers 0".split()


def build(**options):
    pytest.importorskip("fairseq")
    import fairseq_subword_ext

    fairseq_subword_ext.register()
    from fairseq.registry import REGISTRIES
    from omegaconf import OmegaConf

    config = REGISTRIES["bpe"]["dataclass_registry"]["generalized_bpe"](**options)
    return REGISTRIES["bpe"]["registry"]["generalized_bpe"](OmegaConf.structured(config))


class Run:
    """Codes, segmented text, its dictionary, and a model of two updates."""

    def __init__(self, folder, subword, fairseq_command):
        self.folder = folder
        (folder / "training").write_text(TRAINING + "\n".join(LINES), encoding="utf-8")
        (folder / "raw").write_text("\n".join(LINES) + "\n", encoding="utf-8")
        subword("learn-bpe", "-i", "training", "-o", "codes", "-s", 40, cwd=folder)
        self.apply = lambda *flags: subword(
            "apply-bpe", "-c", "codes", "-i", "raw", *flags, cwd=folder
        ).stdout.split("\n")[: len(LINES)]
        self.segmented = self.apply()
        for split in "train", "test":
            for language in "xx", "en":
                path = folder / f"{split}.{language}"
                path.write_text("\n".join(self.segmented) + "\n", encoding="utf-8")
        subword("build-dict", "-c", "codes", "-o", "dict.txt", cwd=folder)
        self.preprocess = fairseq_command(
            "preprocess", "-s", "xx", "-t", "en", "--trainpref", "train", "--validpref", "test",
            "--testpref", "test", "--joined-dictionary", "--srcdict", "dict.txt", "--destdir", "bin",
            "--workers", 2, cwd=folder,
        )  # fmt: skip
        fairseq_command("train", "bin", *TINY, "--save-dir", "bin", cwd=folder)
        self.options = ["--path", "bin/checkpoint_last.pt"]
        self.options += ["--bpe", "generalized_bpe", "--bpe-codes", "codes"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory, subword, fairseq_command):
    return Run(tmp_path_factory.mktemp("generalized"), subword, fairseq_command)


def fields(output, kind):
    """Fairseq's output lines of one kind: number -> text, which may hold tabs."""
    score = "" if kind == "S" else r"\t[^\t\n]*"
    lines = re.findall(rf"^{kind}-(\d+){score}\t(.*)$", output, re.MULTILINE)
    return {int(number): text for number, text in lines}


def test_text_survives_preprocess_and_dictionary(tiny):
    from fairseq.data import Dictionary, data_utils

    dictionary = Dictionary.load(str(tiny.folder / "bin" / "dict.xx.txt"))
    encoder = build(bpe_codes=str(tiny.folder / "codes"))
    dataset = data_utils.load_indexed_dataset(
        str(tiny.folder / "bin" / "test.xx-en.xx"), dictionary
    )
    assert len(dataset) == len(LINES)
    for ids, line in zip(dataset, LINES):
        assert ids[-1] == dictionary.eos()
        assert not ids[:-1].lt(dictionary.nspecial).any()
        assert encoder.decode(dictionary.string(ids[:-1])) == line.rstrip(" ")
    assert tiny.preprocess.count(" 0.0% replaced") == 6


def test_generate_decodes_what_the_model_prints(tiny, fairseq_command):
    output = fairseq_command("generate", "bin", *tiny.options, *EVALUATE, cwd=tiny.folder)
    hypotheses, decoded, sources = (fields(output, kind) for kind in "HDS")
    encoder = build(bpe_codes=str(tiny.folder / "codes"))
    assert sorted(decoded) == list(range(len(LINES)))
    assert decoded == {i: encoder.decode(line) for i, line in hypotheses.items()}
    # This Fairseq also decodes the source for its S lines.
    assert sources == dict(enumerate(LINES))


def test_generate_warns_if_post_processing_runs_before_the_encoder(tiny, fairseq_command):
    """--remove-bpe sentencepiece removes the spaces before the encoder can decode."""
    text = fairseq_command(
        "generate", "bin", *tiny.options, *EVALUATE, "--remove-bpe", "sentencepiece", cwd=tiny.folder
    )  # fmt: skip
    assert text.count("--bpe generalized_bpe decodes the output itself") == 1
    assert "--post-process (--remove-bpe) sentencepiece" in text


@pytest.mark.parametrize(
    ("encoder", "options", "post_process", "warns"),
    [
        ("generalized_bpe", {}, None, False),
        ("generalized_bpe", {}, "none", False),
        ("generalized_bpe", {}, "@@ ", False),
        ("generalized_bpe", {}, "letter", True),
        ("generalized_bpe", {"bpe_separator": "_"}, "subword_nmt", True),
        ("byte_level", {}, "@@ ", True),
        ("char_level", {}, "sentencepiece", True),
    ],
)
def test_post_processing_that_breaks_an_encoder(
    tiny, caplog, encoder, options, post_process, warns
):
    import fairseq_subword_ext

    fairseq_subword_ext.register()
    from fairseq.data import encoders
    from omegaconf import OmegaConf

    if encoder == "generalized_bpe":
        options = {"bpe_codes": str(tiny.folder / "codes"), **options}
    run = {"common_eval": {"post_process": post_process}, "bpe": {"_name": encoder, **options}}
    encoders.build_bpe(OmegaConf.create(run).bpe)
    assert ("--post-process" in caplog.text) == warns


def test_interactive_segments_as_apply_bpe_does(tiny, fairseq_command, fairseq, subword):
    # Fairseq strips each line before the encoder sees it.
    typed = [line.strip() for line in LINES]
    text = "".join(f"{line}\n" for line in typed)
    options = ["--user-dir", PACKAGE, *tiny.options, *EVALUATE]
    output = fairseq("interactive", "bin", *options, cwd=tiny.folder, input=text).stdout
    batch = subword("apply-bpe", "-c", "codes", cwd=tiny.folder, input=text).stdout.split("\n")
    assert fields(output, "S") == dict(enumerate(batch[:-1]))
    assert sorted(fields(output, "D")) == list(range(len(LINES)))
    # The same lines, segmented beforehand, give the same hypotheses; and a run without --bpe
    # needs no codes.
    without = [option for option in tiny.options if option not in ("--bpe", "generalized_bpe")]
    del without[without.index("--bpe-codes") : without.index("--bpe-codes") + 2]
    prepared = fairseq_command(
        "interactive", "bin", *without, *EVALUATE, cwd=tiny.folder, input="\n".join(batch)
    )
    assert fields(prepared, "H") == fields(output, "H")


def test_from_pretrained_finds_the_codes_in_the_model_folder(tiny):
    from fairseq.models.transformer import TransformerModel

    shutil.copy(tiny.folder / "codes", tiny.folder / "bin" / "bpecodes")
    hub = TransformerModel.from_pretrained(
        str(tiny.folder / "bin"), "checkpoint_last.pt", ".", user_dir=str(PACKAGE), bpe="generalized_bpe"
    )  # fmt: skip
    encoded = [hub.apply_bpe(line) for line in LINES]
    assert encoded == tiny.segmented
    assert [hub.remove_bpe(line) for line in encoded] == [line.rstrip(" ") for line in LINES]
    assert len([hub.translate(line, beam=1) for line in LINES]) == len(LINES)


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--separator", "￭"], {"bpe_separator": "￭"}),
        (["--vocabulary", "vocabulary"], {"bpe_vocabulary": "vocabulary"}),
        (
            ["--vocabulary", "vocabulary", "--vocabulary-threshold", 3],
            {"bpe_vocabulary": "vocabulary", "bpe_vocabulary_threshold": 3},
        ),
        (["--glossaries", "new", "[wx]+"], {"bpe_glossaries": "new [wx]+"}),
        (["--glossary-file", "glossary"], {"bpe_glossary_file": "glossary"}),
        (["--compat", "subword-nmt"], {"bpe_compat": "subword-nmt"}),
    ],
)
def test_every_option_means_the_same_as_in_apply_bpe(tiny, subword, monkeypatch, flags, options):
    monkeypatch.chdir(tiny.folder)
    (tiny.folder / "segmented").write_text("\n".join(tiny.segmented[1:] * 2))
    subword("get-vocab", "-i", "segmented", "-o", "vocabulary", cwd=tiny.folder)
    (tiny.folder / "glossary").write_text("est\n</s>\n\t\n", encoding="utf-8")
    encoder = build(bpe_codes="codes", **options)
    expected = tiny.apply(*flags)
    assert [encoder.encode(line) for line in LINES] == expected
    if "bpe_compat" not in options:
        assert [encoder.decode(line) for line in expected] == [line.rstrip(" ") for line in LINES]
        assert expected != tiny.segmented


def test_a_replaced_carriage_return_keeps_lines_aligned(tmp_path, tiny, subword, fairseq_command):
    """fairseq-preprocess with three workers turns these into seven lines."""
    (tmp_path / "raw").write_bytes(b"low l\ne\rst\nnew\xc2\x85est \xe2\x80\xa8\n")
    codes = tiny.folder / "codes"
    subword(
        "apply-bpe",
        "-c",
        codes,
        "-i",
        "raw",
        "-o",
        "a.xx",
        "--carriage-return",
        "replace",
        cwd=tmp_path,
    )
    for workers in 1, 3:
        log = fairseq_command(
            "preprocess", "--only-source", "-s", "xx", "--trainpref", "a", "--destdir", f"bin{workers}",
            "--workers", workers, cwd=tmp_path,
        )  # fmt: skip
        assert " 3 sents" in log


def test_compatibility_reads_no_escapes(tiny):
    codes = str(tiny.folder / "codes")
    assert build(bpe_codes=codes, bpe_compat="subword-nmt").decode("a␛A0;@@ b") == "a␛A0;b"
    assert build(bpe_codes=codes).decode("a␛A0;@@ b") == "a\xa0b"


@pytest.mark.parametrize("line", ["", "@@", "a@@", "<unk> x@@ <unk>", "␛@@ ␛110000;", "a  b"])
def test_decoding_accepts_any_model_output(tiny, line):
    build(bpe_codes=str(tiny.folder / "codes")).decode(line)


def test_byte_codes_work_too(tmp_path, subword):
    subword("learn-bpe", "--unit", "byte", "-o", "codes", input=TRAINING, cwd=tmp_path)
    encoder = build(bpe_codes=str(tmp_path / "codes"))
    text = "".join(f"{line}\n" for line in LINES)
    segmented = subword("apply-bpe", "-c", "codes", input=text, cwd=tmp_path).stdout.split("\n")
    for line, pieces in zip(LINES, segmented):
        assert encoder.encode(line) == pieces
        assert encoder.decode(pieces) == line


def test_messages_name_the_flag(tmp_path):
    with pytest.raises(ValueError, match="--bpe generalized_bpe needs --bpe-codes FILE"):
        build()
    with pytest.raises(ValueError, match=r"--bpe-codes .*nowhere: no such file"):
        build(bpe_codes=str(tmp_path / "nowhere"))
    (tmp_path / "codes").write_text("#version: 0.2\na b\n")
    codes = str(tmp_path / "codes")
    with pytest.raises(ValueError, match="--bpe-vocabulary-threshold needs --bpe-vocabulary"):
        build(bpe_codes=codes, bpe_vocabulary_threshold=3)
    with pytest.raises(ValueError, match=r"--bpe-vocabulary .*no such file"):
        build(bpe_codes=codes, bpe_vocabulary=str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="codes file"):
        build(bpe_codes=codes, bpe_vocabulary=codes)
    with pytest.raises(ValueError, match="separator"):
        build(bpe_codes=codes, bpe_separator=" ")


HIDDEN = """
import json, sys
sys.modules["fairseq_subword_ext._native"] = None
import fairseq_subword_ext
fairseq_subword_ext.register()
from fairseq.registry import REGISTRIES
from omegaconf import OmegaConf
result = []
lines = json.load(sys.stdin)
for options in json.loads(sys.argv[1]):
    config = REGISTRIES["bpe"]["dataclass_registry"]["generalized_bpe"](**options)
    encoder = REGISTRIES["bpe"]["registry"]["generalized_bpe"](OmegaConf.structured(config))
    encoded = [encoder.encode(line) for line in lines]
    result.append([encoded, [encoder.decode(line) for line in encoded]])
print(json.dumps(result))
"""


def test_without_the_extension_the_result_is_the_same_with_a_warning(tiny, monkeypatch):
    monkeypatch.chdir(tiny.folder)
    options = [
        {"bpe_codes": "codes", **more}
        for more in (
            {},
            {"bpe_separator": "_"},
            {"bpe_vocabulary": "dict.txt"},
            {"bpe_glossaries": "est <s>"},
            {"bpe_compat": "subword-nmt"},
        )
    ]
    process = run_command(
        sys.executable, "-c", HIDDEN, json.dumps(options), cwd=tiny.folder, input=json.dumps(LINES)
    )
    for each, (encoded, decoded) in zip(options, json.loads(process.stdout.splitlines()[-1])):
        assert encoded == [build(**each).encode(line) for line in LINES]
        if "bpe_compat" not in each:
            assert decoded == [line.rstrip(" ") for line in LINES]
    # Once per encoder, not per line.
    assert process.stderr.count("compiled core of fairseq_subword_ext is missing") == len(options)
