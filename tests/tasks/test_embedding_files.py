"""A finished model no longer needs the file of its pretrained embeddings."""

import random

pytest_plugins = ["task_helpers"]


def test_a_finished_model_needs_no_embedding_file(train, translate, corpus, tmp_path):
    values = random.Random(0)
    symbols = corpus.dictionary.symbols[corpus.dictionary.nspecial :]
    rows = [
        f"{symbol} " + " ".join(f"{values.gauss(0, 1):.3f}" for _ in range(16))
        for symbol in symbols
    ]
    file = tmp_path / "embeddings.txt"
    file.write_text(f"{len(rows)} 16\n" + "".join(f"{row}\n" for row in rows), "utf-8")
    paths = ["--encoder-embed-path", file, "--decoder-embed-path", file]
    for arch in ("transformer", "contextualized_transformer_tiny"):
        train("--arch", arch, *paths, "--max-update", 1, "--restore-file", "none.pt")
        before = translate().outputs("H")
        file.rename(tmp_path / "gone")
        assert translate().outputs("H") == before != {}
        (tmp_path / "gone").rename(file)
