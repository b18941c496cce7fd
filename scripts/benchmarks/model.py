"""Measures what a context costs: training and generation speed of the same Transformer without one,
with a convolution, with a Bi-GRU, and as Fairseq's byte_level_bpe example computes it.

The variants take turns, so that a busy machine slows them all; the table gives each one's median
speed, and the median over the rounds of its speed divided by the plain Transformer's.
"""

import argparse
import logging
import random
import statistics
import time

import torch
from fairseq import models
from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion
from fairseq.data import Dictionary, LanguagePairDataset, data_utils
from fairseq.models.transformer import TransformerConfig, TransformerEncoderBase, TransformerModel
from fairseq.sequence_generator import SequenceGenerator
from fairseq.utils import move_to_cuda

import fairseq_subword_ext

VARIANTS = ("none", "conv", "gru", "example")


class ExampleEncoder(TransformerEncoderBase):
    """What the example computes once its signature is mended: the GRU reads padding like tokens."""

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
    """The part of a task that models and criteria ask for."""

    def __init__(self, size: int):
        self.source_dictionary = Dictionary()
        for number in range(size - len(self.source_dictionary)):
            self.source_dictionary.add_symbol(f"symbol{number}")
        self.target_dictionary = self.source_dictionary


def build(variant: str, args: argparse.Namespace, task: JointVocabulary) -> torch.nn.Module:
    """Builds one variant at the size of ``args.arch``; equal seeds give equal common parts."""
    torch.manual_seed(1)
    options = argparse.Namespace(arch=args.arch, share_all_embeddings=True)
    if variant == "example":
        models.ARCH_CONFIG_REGISTRY[args.arch](options)
        model = ExampleModel.build_model(options, task)
    else:
        options.embedding_context = variant
        model = models.build_model(options, task)
    return model.to(args.device)


def batches(args: argparse.Namespace, dictionary: Dictionary) -> list:
    """Batches as Fairseq makes them, of sentences with lengths as in real text (log-normal)."""
    draw = random.Random(1)

    def sentence() -> torch.Tensor:
        length = min(200, max(2, round(draw.lognormvariate(0.0, 0.5) * args.mean_length)))
        words = [draw.randrange(dictionary.nspecial, len(dictionary)) for _ in range(length - 1)]
        return torch.tensor([*words, dictionary.eos()])

    count = args.rounds * args.updates * args.max_tokens // args.mean_length
    source, target = ([sentence() for _ in range(count)] for _ in range(2))
    dataset = LanguagePairDataset(
        source, [len(s) for s in source], dictionary,
        target, [len(s) for s in target], dictionary,
    )  # fmt: skip
    with data_utils.numpy_seed(1):
        order = dataset.ordered_indices()
        groups = dataset.batch_by_size(order, max_tokens=args.max_tokens)
    draw.shuffle(groups)
    samples = [dataset.collater([dataset[i] for i in group]) for group in groups]
    return [move_to_cuda(s) if args.device == "cuda" else s for s in samples]


def clock(args: argparse.Namespace) -> float:
    if args.device == "cuda":
        torch.cuda.synchronize()
    return time.process_time() if args.cpu_time else time.perf_counter()


def train(model, criterion, optimizer, samples, args) -> float:
    """Returns the target tokens per second of a few updates."""
    model.train()
    start = clock(args)
    for sample in samples:
        optimizer.zero_grad(set_to_none=True)
        loss, sample_size, _ = criterion(model, sample)
        (loss / sample_size).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return sum(s["ntokens"] for s in samples) / (clock(args) - start)


def generate(generator, sample, args) -> float:
    """Returns the tokens per second of beam search, all hypotheses as long as allowed."""
    start = clock(args)
    hypotheses = generator.generate([generator.model.single_model], sample)
    return sum(len(h[0]["tokens"]) for h in hypotheses) / (clock(args) - start)


def table(title: str, speeds: dict) -> str:
    lines = [f"{title:<12}{'tokens/s':>10}{'of plain':>10}{'of example':>12}"]
    for variant in VARIANTS:
        ratios = [
            statistics.median(a / b for a, b in zip(speeds[variant], speeds[other]))
            for other in ("none", "example")
        ]
        median = statistics.median(speeds[variant])
        lines.append(f"{variant:<12}{median:>10.0f}{ratios[0]:>10.3f}{ratios[1]:>12.3f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="contextualized_transformer_base")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--vocabulary", type=int, default=4096, help="size of the joint dictionary")
    parser.add_argument("--mean-length", type=int, default=41, help="symbols a sentence")
    parser.add_argument("--max-tokens", type=int, default=2000, help="a batch")
    parser.add_argument("--rounds", type=int, default=7, help="turns that every variant takes")
    parser.add_argument("--updates", type=int, default=2, help="updates a turn")
    parser.add_argument("--sentences", type=int, default=32, help="translated a turn")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="count the process's CPU time, for a machine that others use (with OMP_NUM_THREADS=1)",
    )
    args = parser.parse_args()
    logging.disable(logging.INFO)
    fairseq_subword_ext.register()

    task = JointVocabulary(args.vocabulary)
    samples = batches(args, task.source_dictionary)
    criterion = LabelSmoothedCrossEntropyCriterion(task, True, 0.1).to(args.device)
    built = {variant: build(variant, args, task) for variant in VARIANTS}
    optimizers = {v: torch.optim.Adam(m.parameters(), lr=1e-4) for v, m in built.items()}
    generators = {
        v: SequenceGenerator(
            [m], task.target_dictionary, beam_size=args.beam,
            max_len_a=0, max_len_b=args.mean_length, min_len=args.mean_length,
        )
        for v, m in built.items()
    }  # fmt: skip

    training = {variant: [] for variant in VARIANTS}
    generation = {variant: [] for variant in VARIANTS}
    rotation = list(VARIANTS)
    for turn in range(-1, args.rounds):  # the first turn only warms up
        first = max(turn, 0) * args.updates
        turn_samples = samples[first : first + args.updates]
        sentences = {
            key: value[: args.sentences] for key, value in turn_samples[0]["net_input"].items()
        }
        for variant in rotation:
            model = built[variant]
            trained = train(model, criterion, optimizers[variant], turn_samples, args)
            model.eval()
            generated = generate(generators[variant], {"net_input": sentences}, args)
            if turn >= 0:
                training[variant].append(trained)
                generation[variant].append(generated)
        rotation.append(rotation.pop(0))

    print(
        f"{args.arch} on {args.device}, {torch.get_num_threads()} thread(s), "
        f"torch {torch.__version__}: {args.rounds} rounds of {args.updates} updates of up to "
        f"{args.max_tokens} tokens and of {args.sentences} sentences, beam {args.beam}"
    )
    print(table("training", training))
    print(table("generation", generation))


if __name__ == "__main__":
    main()
