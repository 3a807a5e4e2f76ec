"""What odfpy reads of an OpenDocument file: python read-odf.py FILE"""
import sys
from odf import opendocument, teletype
from odf.element import Element

document = opendocument.load(sys.argv[1])


def walk(node):
    for child in node.childNodes:
        if not isinstance(child, Element):
            continue
        if child.qname[1] == "tracked-changes":
            continue
        if child.qname[1] in ("p", "h"):
            print(teletype.extractText(child))
        else:
            walk(child)


walk(document.body)
