"""Statistics of corpora and vocabularies, as tables, pictures and one HTML page.

Modules here measure segmented text and draw; computing scores of translations belongs in ``evaluation``,
option parsing in ``cli``, and matplotlib is loaded only when something is drawn. Reading order:
``text_counts`` (one pass over a text), ``corpus_statistics`` and ``intrinsic`` (measures), ``fairseq_logs``,
``report`` and ``measuring`` (all of these), ``table_parts``, ``statistics_tables``, ``intrinsic_tables``,
``drawing``, ``charts``, ``statistics_plots``, ``score_plots``, ``rank_plot``; for ``suggest-size``
``size_advice`` and ``size_tables``; for the page ``marked_sentences``, ``sentences``, ``score_section``,
``inline_svg``, ``page``.
"""
