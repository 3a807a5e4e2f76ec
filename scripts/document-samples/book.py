"""A book of the second generation, with NCX contents: python book.py OUT.epub"""
import sys
from ebooklib import epub

book = epub.EpubBook()
book.set_identifier("urn:toolcrib:quays")
book.set_title("Quays & tides")
book.set_language("en")
book.add_author("Ada Writer")
chapters = []
# The order of the files is not the order of reading.
for name, title, html in [
    ("z first.xhtml", "The beginning", "<h1>The beginning</h1><p>It rained on the <em>old</em> quay.</p>"),
    ("a-second.xhtml", "The end", "<h1>The end</h1><ul><li>a lamp</li><li>a pencil</li></ul><table><tr><th>Quay</th><th>Depth</th></tr><tr><td>North</td><td>4.9</td></tr></table><p>The sun came &amp; stayed.</p>"),
]:
    chapter = epub.EpubHtml(title=title, file_name=name, lang="en")
    chapter.content = html
    book.add_item(chapter)
    chapters.append(chapter)
book.toc = [epub.Link(chapter.file_name, chapter.title, f"c{index}") for index, chapter in enumerate(chapters)]
book.add_item(epub.EpubNcx())
book.spine = chapters
epub.write_epub(sys.argv[1], book)
