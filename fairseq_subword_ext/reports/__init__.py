"""Statistics of corpora and vocabularies."""
