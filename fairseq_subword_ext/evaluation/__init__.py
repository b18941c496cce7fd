"""Scores translations: BLEU and chrF, word F1, copies, and significance tests.

Modules here compute numbers and records of them; tables and pictures of corpora belong in ``reports``,
option parsing in ``cli``, and nothing here imports Fairseq. Reading order: ``system_output`` (input),
``output_checks``, ``words``, ``sacrebleu_adapter``, ``corpus_scores``, ``line_scores``, ``word_f1``,
``rank_f1``, ``scorer`` (all of these), ``sign_tests``, ``significance``, ``score_record``,
``score_table``.
"""
