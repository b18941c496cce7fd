"""The encodings: a line of text becomes symbols for Fairseq, and text again.

:mod:`.codec` says what an encoding is, :mod:`.registry` lists them, and each has a module of its own.
"""
