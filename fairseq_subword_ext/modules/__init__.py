"""Parts of models: plain torch modules, usable outside Fairseq."""
