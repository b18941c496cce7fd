"""Word counts of any amount of text: in memory, spilled to disk, or on a Dask cluster.

This layer knows words and their counts, not symbols, merges or subwords. Reading order: :mod:`.spans`
cuts the text into spans of bytes, :mod:`.runs` holds what was spilled as sorted runs, :mod:`.tally`
counts spans with the compiled core, :mod:`.word_counts` keeps the order of first occurrence for learning;
for the command count-words, :mod:`.local` counts in threads and :mod:`.cluster` on a cluster, both in one
total order (most frequent first, ties by UTF-8 bytes) that does not depend on how the work was divided.
"""
