"""A Word document with what LibreOffice does not write: python word.py OUT.docx"""
import sys
from docx import Document
from docx.oxml import parse_xml

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "w": W,
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)


def element(xml):
    return parse_xml(xml.replace(">", f" {NAMESPACES}>", 1) if not xml.split(">", 1)[0].endswith("/") else xml)


document = Document()
body = document.element.body
last = body[-1]  # sectPr


def add(xml):
    last.addprevious(element(xml))


document.core_properties.title = "Words of Word"
document.core_properties.author = "Ada Writer"
document.add_paragraph("Words of Word", style="Title")
document.add_heading("Changes", level=1)
add("<w:p><w:r><w:t xml:space='preserve'>Kept </w:t></w:r><w:ins w:id='1' w:author='Ben'><w:r><w:t>inserted</w:t></w:r></w:ins><w:del w:id='2' w:author='Ben'><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:t>.</w:t></w:r></w:p>")
add("<w:p><w:pPr><w:rPr><w:del w:id='3' w:author='Ben'/></w:rPr></w:pPr><w:r><w:t xml:space='preserve'>Two halves </w:t></w:r></w:p>")
add("<w:p><w:r><w:t>of one sentence.</w:t></w:r></w:p>")
document.add_heading("Fields and signs", level=1)
add("""<w:p><w:r><w:t xml:space='preserve'>See </w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> HYPERLINK "https://example.org/field" </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>the field</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t xml:space='preserve"> </w:t></w:r></w:p>""".replace("preserve\"", "preserve'"))
add("<w:p><w:r><w:t xml:space='preserve'>Done </w:t></w:r><w:r><w:sym w:font='Wingdings' w:char='F0FC'/></w:r><w:r><w:t xml:space='preserve'>, angle </w:t></w:r><w:r><w:sym w:font='Symbol' w:char='F061'/></w:r><w:r><w:noBreakHyphen/><w:t>minus</w:t></w:r></w:p>")
add("<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath></w:p>")
add("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Hidden words</w:t></w:r></w:p>")
add("<w:p><w:r><w:t>Before the page</w:t></w:r><w:r><w:br w:type='page'/></w:r><w:r><w:t>after it</w:t></w:r></w:p>")
box = "<w:txbxContent><w:p><w:r><w:t>Boxed once</w:t></w:r></w:p></w:txbxContent>"
add(f"<w:p><w:r><w:t>Anchor</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor><a:graphic><a:graphicData uri='x'><wps:wsp><wps:txbx>{box}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>")
document.add_heading("Lists", level=1)
for text, style in [("one", "List Number"), ("two", "List Number"), ("dot", "List Bullet"), ("inner dot", "List Bullet 2"), ("three", "List Number")]:
    document.add_paragraph(text, style=style)
document.add_heading("Tables", level=2)
table = document.add_table(rows=3, cols=3)
for row, words in enumerate([["a1", "b1", "c1"], ["a2", "b2", "c2"], ["a3", "b3", "c3"]]):
    for column, word in enumerate(words):
        table.cell(row, column).text = word
table.cell(1, 0).merge(table.cell(1, 1))
inner = table.cell(2, 2).add_table(rows=1, cols=2)
inner.cell(0, 0).text = "x"
inner.cell(0, 1).text = "y"
document.add_paragraph("The last words.")
# A localised Word names its styles in its own language, but their types are in English.
for style in document.styles.element.findall(f"{{{W}}}style"):
    if style.get(f"{{{W}}}styleId") == "Heading1":
        style.set(f"{{{W}}}styleId", "berschrift1")
for mark in body.iter(f"{{{W}}}pStyle"):
    if mark.get(f"{{{W}}}val") == "Heading1":
        mark.set(f"{{{W}}}val", "berschrift1")
document.save(sys.argv[1])
