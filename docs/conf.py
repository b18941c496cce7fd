"""Configuration of Sphinx; scripts/docs.sh builds the pages."""

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent)]

from fairseq_subword_ext.version import __version__  # noqa: E402

project = "fairseq_subword_ext"
author = "the fairseq_subword_ext authors"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "command_pages",
    "configuration_page",
]
exclude_patterns = ["_build", "results"]
suppress_warnings = ["myst.header"]  # a generated page starts with the options of a command

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4  # headings can be linked to, as on GitHub

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

highlight_language = "none"  # of blocks that name no language
smartquotes_action = "D"  # dashes; quotation marks stay as they are written

html_theme = "furo"
html_title = f"fairseq_subword_ext {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
