"""The command fairseq-subword."""
