"""Word alignment of parallel text with fast_align's model, through the library sil-thot."""

from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from fairseq_subword_ext.textio.extras import import_extra

Links = Iterator[Tuple[str, str]]
Sentences = Sequence[Sequence[str]]

# fast_align's default.
ITERATIONS = 5

# Passes over the text: training in both directions, and one to extract the links.
PASSES = 2 * ITERATIONS + 1

_BATCH = 1000


def aligned_words(
    source: Sentences, target: Sentences, progress: Optional[Callable[[int], None]] = None
) -> Links:
    """Aligns parallel text in both directions and yields the links that both directions share.

    Args:
        source: the sentences, each a sequence of words.
        target: their translations, one per sentence. Pairs with an empty side, and pairs longer than the
            library accepts, are left out.
        progress: called with the number of passes over the text since the last call; there are
            :data:`PASSES` in all.

    Yields:
        (source word, target word) for each link.

    Raises:
        ImportError: If sil-thot is not installed.

    Source: Dyer, Chahuneau & Smith 2013, with the variational Bayes of their tool; the links are the
    intersection of Och & Ney 2003, which makes the fewest errors on rare words.
    """
    thot = import_extra("thot.alignment", "align")
    report = progress or (lambda passes: None)
    longest = thot.FastAlignModel().max_sentence_length
    pairs = [
        (words, translation)
        for words, translation in zip(source, target)
        if 0 < len(words) <= longest and 0 < len(translation) <= longest
    ]
    if not pairs:
        return
    forward = _trained(thot, pairs, report)
    backward = _trained(thot, [(after, before) for before, after in pairs], report)
    aligner = thot.SymmetrizedAlignmentModel(forward, backward)
    aligner.heuristic = thot.SymmetrizationHeuristic.INTERSECTION
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        found = aligner.get_best_alignments(*map(list, zip(*batch)))
        for (words, translation), (_, matrix) in zip(batch, found):
            for row, column in zip(*matrix.to_numpy().nonzero()):
                yield words[row], translation[column]
    report(1)


def _trained(
    thot: Any, pairs: List[Tuple[List[str], List[str]]], report: Callable[[int], None]
) -> Any:
    model = thot.FastAlignModel()
    model.variational_bayes = True
    for words, translation in pairs:
        model.add_sentence_pair(words, translation)
    model.start_training()
    for _ in range(ITERATIONS):
        model.train()
        report(1)
    model.end_training()
    return model
