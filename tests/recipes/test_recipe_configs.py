"""The configurations for Wang, Cho & Gu 2020: every row composes and has the paper's size."""

from functools import cache

import pytest
from conftest import ROOT
from model_helpers import TABLE_2, build_composed, compose, count, sizes
from recipes.engine.catalogue import load

RECIPES = {"wmt14_en_de": ("en", "de"), "ja_en": ("ja", "en")}
ROWS = [(recipe, system) for recipe in RECIPES for system in load(recipe).systems(None)]
# Symbols of a segmentation, including Fairseq's four; the paper calls its En-De characters "3K".
SYMBOLS = {"bytes": 260, "bbpe_2k": 2052, "bbpe_4k": 4100, "chars": 3400, "bpe_16k": 16388, "bpe_32k": 32772}  # fmt: skip


@cache
def composed(recipe, config, *overrides):
    return compose(ROOT / "configs" / recipe, config, *overrides)


@pytest.mark.parametrize("recipe, system", ROWS, ids=lambda value: getattr(value, "name", value))
def test_a_row_is_the_papers(recipe, system):
    size, _, rest = system.name.partition("_")
    cfg = composed(recipe, system["config"], *system.flags("set"))
    assert sizes(cfg.model) == (TABLE_2[size], TABLE_2[size])
    assert (cfg.model.attention_dropout, cfg.model.activation_dropout) == (0.1, 0.1)
    context = "gru" if rest.endswith("_gru") else "none"
    assert cfg.model.embedding_context == context
    assert system["row"].endswith("+") == (context == "gru")
    assert (cfg.task.source_lang, cfg.task.target_lang) == RECIPES[recipe]
    # The peak learning rate of Vaswani et al. 2017, equation 3, and the same effective batch for all rows.
    peak = TABLE_2[size][1] ** -0.5 * cfg.lr_scheduler.warmup_updates**-0.5
    assert cfg.optimization.lr == [pytest.approx(peak, rel=0.02)]
    assert cfg.lr_scheduler.warmup_updates == 4000
    assert cfg.dataset.max_tokens * cfg.optimization.update_freq[0] == 65536
    # A sentence that is as long as the model allows fits into a batch.
    assert cfg.dataset.max_tokens >= cfg.model.max_source_positions == cfg.task.max_source_positions
    assert cfg.dataset.max_tokens >= cfg.model.max_target_positions == cfg.task.max_target_positions
    assert not cfg.common.fp16
    beam = system.flags("generate")[:2]
    assert beam == ["--beam", {"wmt14_en_de": "4", "ja_en": "5"}[recipe]]


@pytest.mark.parametrize(
    "recipe, system",
    [row for row in ROWS if row[0] == "wmt14_en_de"],  # the paper gives none for the other
    ids=lambda value: getattr(value, "name", value),
)
def test_a_row_has_the_papers_number_of_parameters(recipe, system):
    expected = system["parameters"]
    cfg = composed(recipe, system["config"], *system.flags("set"))
    model = build_composed(cfg, SYMBOLS[system["segmentation"]])
    # T_base with BBPE 2K+ has 46M in the paper's Table 7, and 47M in Table 5.
    assert abs(count(model) / 1e6 - int(expected.rstrip("M"))) < 0.7


def test_all_rows_are_there():
    names = {recipe: [s.name for r, s in ROWS if r == recipe] for recipe in RECIPES}
    units = {
        "wmt14_en_de": ("byte_gru", "bbpe_2k_gru", "bbpe_4k_gru", "char_gru", "bpe_32k", "bpe_32k_gru"),
        "ja_en": ("byte_gru", "bbpe_4k_gru", "char_gru", "bpe_16k_gru"),
    }  # fmt: skip
    for recipe, rows in units.items():
        assert names[recipe] == [f"{size}_{row}" for size in ("base", "big") for row in rows]
    assert all(all(system.figures.values()) for _, system in ROWS)
