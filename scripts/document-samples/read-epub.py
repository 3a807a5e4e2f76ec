"""What ebooklib and lxml read of a book, in the order of its spine: python read-epub.py FILE"""
import sys
import ebooklib.epub as epub
from lxml import html

book = epub.read_epub(sys.argv[1], {"ignore_ncx": True})
for name, _ in book.spine:
    print(" ".join(html.fromstring(book.get_item_with_id(name).get_body_content()).itertext()))
