"""Reads the data of a task from raw text, by way of the cache."""

import gc
import logging
import multiprocessing.util
import shutil
import tempfile
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from fairseq.data import Dictionary
from fairseq.distributed import utils as distributed_utils

from fairseq_subword_ext.checkpoints.fairseq_config import option, whole_config
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.data.pair_folders import text_file
from fairseq_subword_ext.data.resumed_text import ResumedText
from fairseq_subword_ext.data.text_cache import Side, TextCache
from fairseq_subword_ext.data.text_dictionary import check_complete
from fairseq_subword_ext.subword.dictionary import save
from fairseq_subword_ext.subword.id_encoder import checked_dropout

logger = logging.getLogger(__name__)

_CACHE = "text-cache"  # in the save folder


class FromText:
    """The raw text of a task.

    Args:
        cfg: the task's options.
        encoding_of_run: returns the arguments of :func:`.make_codec` for the ``bpe`` section of a
            configuration; called only when text is segmented, since a finished model is also used without
            its codes.

    Raises:
        ValueError: If options contradict each other.
    """

    def __init__(self, cfg, encoding_of_run: Callable[[Any], Dict[str, Any]]):
        if cfg.dataset_impl not in (None, "mmap"):
            raise ValueError(
                f"--dataset-impl {cfg.dataset_impl} cannot be combined with --from-text, which segments the "
                "text itself"
            )
        self._cfg = cfg
        self._encoding_of_run = encoding_of_run
        self._caches: Dict[bool, TextCache] = {}
        self._resumed = ResumedText(cfg)

    @cached_property
    def codec(self) -> Codec:
        """The codec that segments the text."""
        return make_codec(**self._encoding)

    @cached_property
    def _encoding(self) -> Dict[str, Any]:
        return self._encoding_of_run(getattr(whole_config(self._cfg), "bpe", None))

    @property
    def draws_each_epoch(self) -> bool:
        """Whether each epoch has a segmentation of its own."""
        return any(self._dropout(side) > 0 for side in ("source", "target"))

    def is_past_the_end(self, epoch: Optional[int]) -> bool:
        """Whether training ends before this epoch, for which Fairseq asks nevertheless."""
        most = option(whole_config(self._cfg), "optimization", "max_epoch") or 0
        return epoch is not None and 0 < most < epoch

    @contextmanager
    def opened(
        self,
        prefixes: Mapping[str, Tuple[str, str]],
        split: str,
        epoch: Optional[int],
        dictionaries: Sequence[Dictionary],
        task_cfg: Any,
        source_is_enough: bool = False,
    ) -> Iterator[Path]:
        """Segments a split and lends the folder with the datasets, to be opened inside the block.

        Args:
            prefixes: ``folder/train.de-en.`` -> source and target language, for each text.
            split: its name.
            epoch: counted from 1; None stands for the first.
            dictionaries: that of the source and that of the target, or one for both.
            task_cfg: the checkpoint's task options, passed by commands that evaluate.
            source_is_enough: whether target sides may be missing.

        Raises:
            FileNotFoundError: If a side is missing.
            ValueError: If a text, an option or a dictionary cannot be used.
            OSError: If a file cannot be read or written.
            RuntimeError: If segmentation fails in another way.
        """
        evaluates = task_cfg is not None
        trains = split == self._cfg.train_subset and not evaluates
        sides: List[Side] = []
        for prefix, languages in prefixes.items():
            for number, language in enumerate(languages):
                path = text_file(prefix + language)
                if path is None and number and source_is_enough:
                    continue
                if path is None:
                    raise FileNotFoundError(
                        2, "one side of a language pair is missing", prefix + language
                    )
                sides.append(
                    Side(
                        path,
                        Path(prefix + language).name,
                        Path(prefix).name.rstrip("."),
                        min(number, len(dictionaries) - 1),
                        self._dropout(("source", "target")[number]) if trains else 0.0,
                    )
                )
        if not evaluates:
            self._check(dictionaries)
        cache = self._cache(evaluates, dictionaries)
        with cache.opened(split, sides, epoch or 1) as folder:
            if not evaluates:
                checksums = {side.path.with_name(side.name): cache.checksum(side) for side in sides}
                self._resumed.read(split, checksums, trains)
            yield folder

    def state_dict(self) -> Dict[str, Any]:
        """What checkpoints keep of the text."""
        return self._resumed.state_dict()

    def begin_epoch(self, epoch: int) -> None:
        """Frees the text of other epochs, in memory and on disk."""
        if self.draws_each_epoch:
            gc.collect()  # Fairseq's iterators refer to each other
        for cache in self._caches.values():
            cache.keep_only(epoch)

    def save_dictionaries(self, dictionaries: Mapping[str, Dictionary]) -> None:
        """Puts the dictionaries beside the checkpoints, so that the model can be used without the text.

        Args:
            dictionaries: language -> dictionary.

        Raises:
            OSError: If a file cannot be written.
        """
        config = whole_config(self._cfg)
        folder = option(config, "checkpoint", "save_dir")
        if folder is None or config.checkpoint.no_save:
            return
        if not distributed_utils.is_master(config.distributed_training):
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        for language, dictionary in dictionaries.items():
            entries = zip(dictionary.symbols, dictionary.count)
            save(list(entries)[dictionary.nspecial :], Path(folder) / f"dict.{language}.txt")

    def _dropout(self, side: str) -> float:
        own = getattr(self._cfg, f"bpe_dropout_{side}")
        return checked_dropout(self._cfg.bpe_dropout if own is None else own)

    def _check(self, dictionaries: Sequence[Dictionary]) -> None:
        """Checks what is fatal to a training run but not to a finished model."""
        if self.draws_each_epoch:
            try:
                encoder = self.codec.id_encoder(dictionaries[0])
                encoder.encode_block(b"", 0, 0.5, 0)
            except ValueError as error:
                raise ValueError(f"--bpe-dropout: {error}") from None
        for dictionary in {id(each): each for each in dictionaries}.values():
            check_complete(self.codec, dictionary.symbols, "the dictionary")

    def _cache(self, evaluates: bool, dictionaries: Sequence[Dictionary]) -> TextCache:
        if evaluates not in self._caches:
            self._caches[evaluates] = TextCache(
                self._temporary() if evaluates else self._folder(),
                self._encoding,
                [dictionary.symbols for dictionary in dictionaries],
                self._cfg.seed,
            )
        return self._caches[evaluates]

    def _folder(self) -> Path:
        if self._cfg.text_cache:
            return Path(self._cfg.text_cache)
        save_dir = option(whole_config(self._cfg), "checkpoint", "save_dir")
        return self._temporary() if save_dir is None else Path(save_dir) / _CACHE

    @staticmethod
    def _temporary() -> Path:
        """A folder that vanishes with this process: a finished model has no place of its own."""
        folder = tempfile.mkdtemp(prefix="fairseq-subword-")
        multiprocessing.util.Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
        return Path(folder)
