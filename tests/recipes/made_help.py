"""Small synthetic help pages in the format of LibreOffice's packages."""

PAGE = """<!DOCTYPE html>
<html lang="{language}" dir="ltr">
<head>
<base href="../../../../">
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>{title}</title>
<script type="text/javascript" src="help2.js" defer></script>
</head>
<body>
<header id="TopLeftHeader"><a class="logo" href="x.html"><p dir="auto">LibreOffice 7.4 Help</p></a></header>
<div id="DisplayArea" itemprop="softwareHelp">
{blocks}
</div>
<div id="DonationFrame"><p itemprop="description"><a href="https://www.documentfoundation.org">x</a></p></div>
</body>
</html>
"""


def write_page(path, language, blocks):
    """Writes one page; ``blocks`` is HTML, or texts by id."""
    if not isinstance(blocks, str):
        blocks = "\n".join(
            f'<h2 id="{name}" dir="auto">{text}</h2>\n' if name.startswith("hd")
            else f'<p id="{name}" class="paragraph" dir="auto">{text}</p>\n'
            for name, text in blocks.items()
        )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PAGE.format(language=language, title="x", blocks=blocks), encoding="utf-8")


def write_help(root, folder, pages):
    """Writes a language's help where its package unpacks: root/usr/share/libreoffice/help/FOLDER/text."""
    text = root / "usr" / "share" / "libreoffice" / "help" / folder / "text"
    for page, blocks in pages.items():
        write_page(text / page, folder, blocks)
    return root


def made_pages(translate, pages=60, blocks=6):
    """Pages of short sentences, the same in every language, some of them on several pages."""
    made = {}
    for page in range(pages):
        texts = {f"hd_id{page}": f"Page {page}", "par_id1": "Choose the menu File."}
        for block in range(blocks):
            texts[f"par_id{page}00{block}"] = f"Click number {page * blocks + block} of the list."
        texts = {name: translate(text) for name, text in texts.items()}
        made[f"{('shared', 'swriter')[page % 2]}/{page:02d}/{page:08d}.html"] = texts
    return made
