"""BLEU during training, on text decoded as in fairseq-generate."""

import json
import logging
from argparse import Namespace
from typing import List

from fairseq import utils
from fairseq.data import encoders
from fairseq.tasks import FairseqTask

from fairseq_subword_ext.checkpoints.fairseq_config import whole_config
from fairseq_subword_ext.data import length_limit
from fairseq_subword_ext.data.language_scores import bleu_sums

logger = logging.getLogger(__name__)


class ValidationBleu:
    """Translates validation batches and computes the sums for their BLEU.

    Fairseq's translation task only strips a marker from the symbols; byte-level output must be decoded by
    the encoder that fairseq-generate would use.

    Args:
        task: the task, whose options include ``--eval-bleu`` and its companions.
        model: the model in training.

    Raises:
        ValueError: If ``--eval-bleu-args`` or ``--eval-bleu-detok-args`` is not a JSON object.
    """

    def __init__(self, task: FairseqTask, model):
        cfg, config = task.cfg, whole_config(task.cfg)
        self.task = task
        arguments = _json_options("--eval-bleu-args", cfg.eval_bleu_args)
        self.generator = task.build_generator([model], Namespace(**arguments))
        self.bpe = task.build_bpe(getattr(config, "bpe", None))
        if cfg.eval_bleu_detok == "space":
            self.tokenizer = task.build_tokenizer(getattr(config, "tokenizer", None))
        else:
            detok = _json_options("--eval-bleu-detok-args", cfg.eval_bleu_detok_args)
            self.tokenizer = encoders.build_tokenizer(
                Namespace(tokenizer=cfg.eval_bleu_detok, **detok)
            )
        self.tokenize = "none" if cfg.eval_tokenized_bleu else "13a"
        if self.bpe is None and cfg.eval_bleu_remove_bpe is None:
            logger.warning(
                "--eval-bleu without --bpe: BLEU is computed on undecoded symbols; give the same --bpe "
                "options as to fairseq-generate"
            )
        self.signature = None

    def sums(self, sample, model) -> List[float]:
        """Translates a batch.

        Returns:
            The values of ``language_scores.BLEU_FIELDS``.
        """
        # The base class's step, since the task's own would warn about each output at the length limit.
        hypotheses = FairseqTask.inference_step(self.task, self.generator, [model], sample)
        pad = self.task.target_dictionary.pad()
        outputs = [self._text(found[0]["tokens"]) for found in hypotheses]
        references = [
            self._text(utils.strip_pad(target, pad), escape_unk=True) for target in sample["target"]
        ]
        if self.task.cfg.eval_bleu_print_samples:
            logger.info(f"example hypothesis: {outputs[0]}")
            logger.info(f"example reference: {references[0]}")
        sums, signature = bleu_sums(outputs, references, self.tokenize)
        if self.signature is None:
            self.signature = signature
            logger.info(f"BLEU signature: {signature}")
        return [*sums, float(len(length_limit.at_limit(self.generator, sample, hypotheses)))]

    def _text(self, tokens, escape_unk: bool = False) -> str:
        text = self.task.target_dictionary.string(
            tokens.int().cpu(),
            self.task.cfg.eval_bleu_remove_bpe,
            escape_unk=escape_unk,
            extra_symbols_to_ignore=self.generator.symbols_to_strip_from_output,
        )
        for decoder in (self.bpe, self.tokenizer):
            if decoder is not None:
                text = decoder.decode(text)
        return text


def _json_options(flag: str, text: str) -> dict:
    try:
        options = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        options = error
    if not isinstance(options, dict):
        raise ValueError(f'{flag}: expected a JSON object such as {{"beam": 4}}, found {text!r}')
    return options
