"""The models that model.py compares, and their data."""

import argparse
import random
from typing import Any, List

import torch
from fairseq import models, optim, options
from fairseq.data import Dictionary, LanguagePairDataset, data_utils
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.models.transformer import TransformerConfig, TransformerEncoderBase, TransformerModel
from fairseq.utils import move_to_cuda

VARIANTS = ("none", "conv", "gru", "example")
PRECISIONS = {"fp32": torch.float32, "fp16": torch.half, "bf16": torch.bfloat16}


class ExampleEncoder(TransformerEncoderBase):
    """The example's encoder with its signature fixed: the GRU reads padding like tokens."""

    def __init__(self, cfg, dictionary, embed_tokens):
        super().__init__(cfg, dictionary, embed_tokens)
        dim = embed_tokens.embedding_dim
        self.emb_ctx = torch.nn.GRU(dim, dim // 2, bidirectional=True)

    def forward_embedding(self, src_tokens, token_embedding=None):
        if token_embedding is None:
            token_embedding = self.embed_tokens(src_tokens)
        embed = self.embed_scale * token_embedding
        x = self.dropout_module(embed + self.embed_positions(src_tokens))
        x = self.emb_ctx(x.transpose(0, 1))[0].transpose(0, 1)
        return self.dropout_module(x), embed


class ExampleModel(TransformerModel):
    @classmethod
    def build_encoder(cls, args, src_dict, embed_tokens):
        return ExampleEncoder(TransformerConfig.from_namespace(args), src_dict, embed_tokens)


class JointVocabulary:
    """The part of a task that models and criteria need."""

    def __init__(self, size: int):
        self.source_dictionary = Dictionary()
        for number in range(size - len(self.source_dictionary)):
            self.source_dictionary.add_symbol(f"symbol{number}")
        self.target_dictionary = self.source_dictionary


def build(
    variant: str, arch: str, task: JointVocabulary, device: str, precision: str
) -> torch.nn.Module:
    """Builds one variant at the size of ``arch``; with equal seeds the common parts are identical."""
    torch.manual_seed(1)
    settings = argparse.Namespace(arch=arch, share_all_embeddings=True)
    if variant == "example":
        models.ARCH_CONFIG_REGISTRY[arch](settings)
        model = ExampleModel.build_model(settings, task)
    else:
        settings.embedding_context = variant
        model = models.build_model(settings, task)
    return model.to(device=device, dtype=PRECISIONS[precision])


def build_optimizer(model: torch.nn.Module, precision: str) -> optim.FairseqOptimizer:
    """Fairseq's Adam; in half precision with fp32 master weights, as with ``--fp16``."""
    flags = ["data", "--arch", "transformer", "--optimizer", "adam", "--lr", "0.0001"]
    cfg = convert_namespace_to_omegaconf(
        options.parse_args_and_arch(options.get_training_parser(), input_args=flags)
    )
    parameters = [p for p in model.parameters() if p.requires_grad]
    if precision == "fp32":
        return optim.build_optimizer(cfg.optimizer, parameters)
    cfg.common.fp16, cfg.common.bf16 = precision == "fp16", precision == "bf16"
    return optim.FP16Optimizer.build_optimizer(cfg, parameters)


def batches(
    dictionary: Dictionary, count: int, max_tokens: int, mean_length: int, device: str
) -> List[Any]:
    """At least ``count`` batches by Fairseq's rules, with realistic (log-normal) sentence lengths."""
    draw = random.Random(1)

    def sentence() -> torch.Tensor:
        length = min(200, max(2, round(draw.lognormvariate(0.0, 0.5) * mean_length)))
        words = [draw.randrange(dictionary.nspecial, len(dictionary)) for _ in range(length - 1)]
        return torch.tensor([*words, dictionary.eos()])

    sentences = count * max_tokens // mean_length
    source, target = ([sentence() for _ in range(sentences)] for _ in range(2))
    dataset = LanguagePairDataset(
        source, [len(s) for s in source], dictionary,
        target, [len(s) for s in target], dictionary,
    )  # fmt: skip
    with data_utils.numpy_seed(1):
        order = dataset.ordered_indices()
        groups = dataset.batch_by_size(order, max_tokens=max_tokens)
    draw.shuffle(groups)
    samples = [dataset.collater([dataset[i] for i in group]) for group in groups]
    return [move_to_cuda(s) if device == "cuda" else s for s in samples]
