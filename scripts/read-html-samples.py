"""What a second reader (lxml) says of the pages in test/samples/html: their text in order, beside them as *.lxml.txt."""

from pathlib import Path

from lxml import html

folder = Path(__file__).parent.parent / "test/samples/html"
for path in sorted(folder.glob("*.html")):
    body = html.fromstring(path.read_bytes()).find("body")
    for element in list(body.iter("script", "style", "template", "svg", "noscript", "select", "textarea")):
        element.drop_tree()
    for element in list(body.iter("wbr")):
        element.drop_tag()
    words = " ".join(body.itertext()).split()
    path.with_suffix(".html.lxml.txt").write_text("\n".join(words) + "\n")
