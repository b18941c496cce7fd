"""Models with different input are never combined silently."""

import re

import pytest
from fairseq.models.transformer import TransformerModel

pytest_plugins = ["task_helpers"]


@pytest.fixture
def members(make_corpus, sentences, train, tmp_path):
    """A model with a language token, one without, and their data."""
    data = make_corpus(tmp_path / "marked", extra_symbols=("<lang:de>",))
    for split in ("train", "valid", "test"):
        data.add("de", split, sentences(6, 1))
    paths = []
    for name, options in (("plain", []), ("marked", ["--source-lang-token"])):
        train(*options, "--save-dir", tmp_path / name, "--max-update", 1, data=data.folder)
        paths.append(tmp_path / name / "checkpoint_last.pt")
    return (*paths, data.folder)


def test_members_with_different_input_are_refused_in_any_order(members, translate):
    plain, marked, data = members
    for one, other in ((plain, marked), (marked, plain)):
        with pytest.raises(ValueError) as error:
            translate("--path", f"{one}:{other}", data=data)
        assert str(error.value) == (
            f"{one} and {other} cannot form an ensemble: {marked} was trained with "
            f"--source-lang-token, {plain} without"
        )
    assert len(translate("--path", f"{marked}:{marked}", data=data).outputs()) == 6
    with pytest.raises(ValueError, match=re.escape("checkpoint 1 and checkpoint 2 cannot form")):
        TransformerModel.from_pretrained(
            str(plain.parent.parent),
            "plain/checkpoint_last.pt:marked/checkpoint_last.pt",
            data_name_or_path=str(data),
        )
