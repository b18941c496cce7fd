"""An export is untrusted data: anything wrong with it gives a one-line error."""

import json
import os
import random

import numpy as np
import pytest
from damaged_files import damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from made_export import (
    BOOLEAN,
    FLOAT,
    byte_symbols,
    copying_table,
    decoder_graph,
    encoder_graph,
    make_export,
    onnx,
)
from onnx import TensorProto, helper

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.runtime.export_folder import (
    CODES,
    DECODER,
    ENCODER,
    SETTINGS,
    SOURCE_DICTIONARY,
    TARGET_DICTIONARY,
    ExportSettings,
    read_dictionary,
)
from fairseq_subword_ext.runtime.graph_check import check_graph
from fairseq_subword_ext.runtime.translator import Translator
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS

TABLE = copying_table(byte_symbols())


@pytest.fixture
def export(tmp_path):
    return make_export(tmp_path / "export", TABLE, symbols=BYTE_SYMBOLS)


def refusal(folder) -> str:
    """The error message of translating with a folder."""
    with pytest.raises(ValueError) as error:
        Translator(folder).translate(["a"])
    return str(error.value)


def change_settings(folder, **changes):
    path = folder / SETTINGS
    found = {**json.loads(path.read_text("utf-8")), **changes}
    found = {name: value for name, value in found.items() if value is not ...}
    path.write_text(json.dumps(found), "utf-8")


def test_the_export_itself_works(export):
    assert Translator(export).translate(["a", "b"])[0][0].text == "a"


@pytest.mark.parametrize("name", [SETTINGS, ENCODER, DECODER, SOURCE_DICTIONARY, TARGET_DICTIONARY])
def test_a_missing_file(export, name):
    (export / name).unlink()
    assert f"no {name} in it" in refusal(export)


def test_no_folder(tmp_path):
    assert "expected a folder that export-model wrote" in refusal(tmp_path / "nowhere")


@pytest.mark.parametrize("name", [SETTINGS, ENCODER, SOURCE_DICTIONARY])
def test_a_link_that_leads_out_of_the_folder(export, tmp_path, name):
    (export / name).rename(tmp_path / "elsewhere")
    (export / name).symlink_to(tmp_path / "elsewhere")
    assert "this link leads out of the folder" in refusal(export)


def test_codes_behind_a_link(export, tmp_path):
    change_settings(export, encoding="bbpe")
    (tmp_path / "secret").write_text("root:x:0:0\n", "utf-8")
    (export / CODES).symlink_to("../secret")
    assert "this link leads out of the folder" in refusal(export)


def test_a_link_within_the_folder_is_fine(export):
    (export / DECODER).rename(export / "blob")
    (export / DECODER).symlink_to("blob")
    assert Translator(export).translate(["a"])[0][0].text == "a"


@pytest.mark.parametrize("name", [SOURCE_DICTIONARY, TARGET_DICTIONARY])
def test_a_dictionary_of_another_length(export, name):
    with (export / name).open("a", encoding="utf-8") as stream:
        stream.write("more 1\n")
    assert "261 symbols, Fairseq's own included, and the model has 260" in refusal(export)


@pytest.mark.parametrize(
    ("line", "message"),
    [("nocount", ":1: expected a symbol"), ("b 1", "listed twice"), ("<pad> 1", "listed twice")],
)
def test_a_broken_dictionary(export, line, message):
    path = export / SOURCE_DICTIONARY
    path.write_text("\n".join([line, *path.read_text("utf-8").split("\n")[1:]]), "utf-8")
    assert message in refusal(export)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "has format 99"),
        ({"format": ...}, "not the settings of an exported model"),
        ({"encoding": "../../codes"}, "encoding must be one of"),
        ({"encoding": ...}, "the setting encoding is missing"),
        ({"codes": "/etc/passwd"}, "unknown setting 'codes'"),
        ({"layers": 2}, "the inputs or outputs are not those of an export"),
        ({"heads": 3}, "which the settings do not allow"),
        ({"heads": True}, "heads must be a number"),
        ({"beam": 1 << 40}, "beam must be a number"),
        ({"beam": 5000}, "--beam 5000: expected 1 to 129"),
        ({"source_positions": 0}, "source_positions must be a number"),
        ({"target_symbols": 259}, "260 symbols, Fairseq's own included, and the model has 259"),
        ({"lenpen": "1"}, "lenpen must be a number"),
        ({"lenpen": float("nan")}, "lenpen must be a number"),
        ({"language_token": 1}, "language_token must be one of"),
        ({"separator": 3}, "separator must be text"),
        ({"compat": "fairseq", "encoding": "generalized_bpe"}, "has no compat fairseq"),
    ],
)
def test_settings_that_do_not_fit(export, changes, message):
    change_settings(export, **changes)
    assert message in refusal(export)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"format": 1}'])
def test_invalid_settings_files(export, text):
    (export / SETTINGS).write_text(text, "utf-8")
    assert SETTINGS in refusal(export)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)  # fmt: skip
setting_names = st.sampled_from(sorted(ExportSettings.__dataclass_fields__))


@given(st.dictionaries(setting_names, json_values, max_size=3))
@settings(max_examples=100)
def test_any_settings_are_read_or_refused(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("settings")
    ExportSettings("bbpe", 9, 9, 9, 9, 1, 1).save(folder)
    change_settings(folder, **changes)
    try:
        loaded = ExportSettings.load(folder)
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        loaded.save(folder)
        assert ExportSettings.load(folder) == loaded


@given(damaged("".join(f"{symbol} 1\n" for symbol in BYTE_SYMBOLS).encode("utf-8")))
@settings(max_examples=100)
def test_a_damaged_dictionary_is_read_or_refused(tmp_path_factory, content):
    folder = tmp_path_factory.getbasetemp()
    (folder / SOURCE_DICTIONARY).write_bytes(content)
    try:
        symbols = read_dictionary(folder, SOURCE_DICTIONARY, 260)
    except ValueError as error:
        assert str(error).startswith(str(folder / SOURCE_DICTIONARY)) and "\n" not in str(error)
    else:
        assert len(set(symbols)) == 260


def with_external_tensor(model, place):
    tensor = model.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    tensor.ClearField("raw_data")
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", str(place)
    return model


def test_tensors_in_other_files_are_refused(export, tmp_path):
    place = tmp_path / "weights"
    place.write_bytes(b"\0" * 400_000)
    for location in place, os.path.relpath(place):
        (export / DECODER).write_bytes(
            with_external_tensor(decoder_graph(TABLE), location).SerializeToString()
        )
        assert "rejected, since it contains a tensor in another file" in refusal(export)


def test_tensors_in_other_files_are_refused_in_attributes(export):
    model = encoder_graph()
    tensor = helper.make_tensor("t", FLOAT, [1], [0.0])
    tensor.data_location = TensorProto.EXTERNAL
    model.graph.node.append(helper.make_node("Constant", [], ["unused"], value=tensor))
    (export / ENCODER).write_bytes(model.SerializeToString())
    assert "a tensor in another file" in refusal(export)


def test_subgraphs_functions_and_foreign_operators_are_refused(export):
    inner = helper.make_graph(
        [helper.make_node("Identity", ["mask"], ["x"])], "inner", [], [helper.make_empty_tensor_value_info("x")]
    )  # fmt: skip
    branch = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)
    foreign = helper.make_node("Shell", ["tokens"], ["y"], domain="org.example")
    function = helper.make_function(
        "local", "f", ["a"], ["b"], [helper.make_node("Identity", ["a"], ["b"])], [helper.make_opsetid("", 20)],
    )  # fmt: skip
    for change, message in (
        (lambda model: model.graph.node.append(branch), "contains "),
        (lambda model: model.graph.node.append(foreign), "an operator of a foreign library"),
        (lambda model: model.functions.append(function), "functions of its own"),
    ):
        model = encoder_graph()
        change(model)
        (export / ENCODER).write_bytes(model.SerializeToString())
        assert message in refusal(export)


def test_graphs_with_other_inputs_or_outputs_are_refused(export):
    model = decoder_graph(TABLE)
    shape = next(value for value in model.graph.input if value.name == "past_0")
    shape.type.tensor_type.shape.dim[3].dim_value = 3
    (export / DECODER).write_bytes(model.SerializeToString())
    assert "which the settings do not allow" in refusal(export) or DECODER in refusal(export)
    model = decoder_graph(TABLE)
    model.graph.input.append(helper.make_tensor_value_info("more", BOOLEAN, [1]))
    (export / DECODER).write_bytes(model.SerializeToString())
    assert "the inputs or outputs are not those of an export" in refusal(export)
    (export / DECODER).write_bytes((export / ENCODER).read_bytes())
    assert DECODER in refusal(export)


def test_a_source_dictionary_longer_than_the_embeddings(tmp_path):
    export = make_export(tmp_path / "export", TABLE, symbols=BYTE_SYMBOLS)
    with (export / SOURCE_DICTIONARY).open("a", encoding="utf-8") as stream:
        stream.write("☃ 1\n")
    change_settings(export, source_symbols=261)
    with pytest.raises(ValueError) as error:
        Translator(export).translate(["☃"])
    assert "\n" not in str(error.value) and DECODER in str(error.value)


def test_a_model_that_gives_nan_ends(export):
    table = TABLE.copy()
    table[:] = np.nan
    onnx.save(decoder_graph(table), export / DECODER)
    assert len(Translator(export).translate(["a", "bc"])) == 2


@pytest.mark.parametrize("name", [ENCODER, DECODER])
def test_files_that_are_not_models(export, name):
    for content in b"", b"PK\x03\x04", b"\x08", b"\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01":
        (export / name).write_bytes(content)
        assert name in refusal(export)


@given(st.integers(0, 10**6), st.integers(1, 8))
@settings(max_examples=60)
def test_a_damaged_graph_is_refused_or_works(tmp_path_factory, seed, changes):
    folder = tmp_path_factory.mktemp("damaged")
    export = make_export(folder / "export", copying_table(12), symbols=list("abcdefgh"))
    draw = random.Random(seed)
    path = export / draw.choice([ENCODER, DECODER])
    content = bytearray(path.read_bytes())
    for _ in range(changes):
        content[draw.randrange(len(content))] = draw.randrange(256)
    if draw.random() < 0.3:
        del content[draw.randrange(len(content)) :]
    path.write_bytes(content)
    try:
        found = Translator(export).translate(["a b", "c"])
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert len(found) == 2


@given(st.binary(max_size=60))
@settings(max_examples=300)
def test_the_check_reads_any_bytes(content):
    with pytest.raises(ValueError):
        check_graph(content, "file")


def test_the_command_prints_one_line(export, capsys):
    (export / DECODER).write_bytes(b"nonsense")
    assert main(["translate", str(export), "-i", os.devnull]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("fairseq-subword translate: error: ")
