"""docs/your-own-plugin.md: its files are a plug-in. (Its commands run in tests/docs.)"""

import re
import sys

import pytest
from conftest import ROOT, run_command

pytest.importorskip("fairseq")

PAGE = (ROOT / "docs" / "your-own-plugin.md").read_text(encoding="utf-8")

LOAD = """
from argparse import Namespace
from fairseq.utils import import_user_module
import_user_module(Namespace(user_dir="my_plugin"))
from fairseq.data import encoders
from fairseq.models import ARCH_MODEL_REGISTRY
from fairseq.registry import REGISTRIES
from fairseq.tasks import TASK_REGISTRY
import fairseq_subword_ext
from fairseq_subword_ext import encoders as ours, models, tasks
for names, registry in (
    ((*ours.NAMES,), REGISTRIES["bpe"]["registry"]),
    ((*models.NAMES, "my_transformer"), ARCH_MODEL_REGISTRY),
    ((*tasks.NAMES, "my_translation"), TASK_REGISTRY),
):
    assert not set(names) - set(registry), set(names) - set(registry)
assert ARCH_MODEL_REGISTRY["my_transformer"].__module__ == "my_plugin.models.my_transformer"
import_user_module(Namespace(user_dir=fairseq_subword_ext.__path__[0]))  # and may be named as well
"""


@pytest.fixture
def plugin(tmp_path):
    """A folder with the plug-in from the page."""
    blocks = re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, flags=re.DOTALL)
    assert [name for name, _ in blocks] == [
        "my_plugin/__init__.py",
        "my_plugin/models/my_transformer.py",
        "my_plugin/tasks/my_translation.py",
    ]
    for name, code in blocks:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    return tmp_path


def test_importing_this_package_from_a_plug_in_registers_everything(plugin):
    run_command(sys.executable, "-c", LOAD, cwd=plugin)


def test_the_context_keeps_padding_out_of_a_custom_architecture(plugin):
    code = """
import torch
from argparse import Namespace
from fairseq.utils import import_user_module
import_user_module(Namespace(user_dir="my_plugin"))
from fairseq.data import Dictionary
from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_REGISTRY
args = Namespace(encoder_embed_dim=8, encoder_ffn_embed_dim=8, encoder_attention_heads=2,
                 encoder_layers=1, decoder_layers=1, share_all_embeddings=True)
ARCH_CONFIG_REGISTRY["my_transformer"](args)
words = Dictionary()
for word in "abc":
    words.add_symbol(word)
task = Namespace(source_dictionary=words, target_dictionary=words)
torch.manual_seed(0)
encoder = ARCH_MODEL_REGISTRY["my_transformer"].build_model(args, task).eval().encoder
alone = torch.tensor([[4, 5, 6, 2]])
padded = torch.tensor([[1, 1, 4, 5, 6, 2]])
one = encoder.forward_embedding(alone)[0]
other = encoder.forward_embedding(padded)[0][:, 2:]
torch.testing.assert_close(one, other)
swapped = encoder.forward_embedding(torch.tensor([[4, 6, 5, 2]]))[0]
assert not torch.allclose(one[0, 0], swapped[0, 0])  # the context sees the neighbours
"""
    run_command(sys.executable, "-c", code, cwd=plugin)
