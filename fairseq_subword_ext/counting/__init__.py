"""Counting the words of more text than one table, or one machine, can take.

The text is cut into spans of bytes (:mod:`.spans`), each counted by the compiled core
(:mod:`.tally`); what does not fit into memory becomes sorted runs on disk (:mod:`.runs`). The spans
are counted by threads (:mod:`.local`) or by a Dask cluster (:mod:`.cluster`). The result is one total
order, most frequent first and words of one count by their UTF-8 bytes, so that it never depends on
how the work was divided.
"""
