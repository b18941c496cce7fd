"""Counting words: of one corpus in memory, and of any amount of text.

The text is cut into spans of bytes (:mod:`.spans`), each counted by the compiled core (:mod:`.tally`).
For learning, the words stay in order of first occurrence (:mod:`.word_counts`). For the command
count-words, what does not fit into memory becomes sorted runs on disk (:mod:`.runs`), and the spans are
counted by threads (:mod:`.local`) or by a Dask cluster (:mod:`.cluster`); its result is one total order,
most frequent first and words of one count by their UTF-8 bytes, so that it never depends on how the work
was divided.
"""
