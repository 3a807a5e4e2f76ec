"""A PDF page with what LibreOffice does not write: python form.py FOLDER. A form, notes, text that is turned, a scan."""
import sys
import zlib


def write(path, objects, root=1, info=None):
    out = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"/Size %d /Root %d 0 R" % (len(objects) + 1, root) + (b" /Info %d 0 R" % info if info else b"")
    out += b"trailer << %s >>\nstartxref\n%d\n%%%%EOF\n" % (trailer, table)
    with open(path, "wb") as file:
        file.write(out)


def stream(content, more=b""):
    return b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(content), more, content)


folder = sys.argv[1]
font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
field = b"<< /Type /Annot /Subtype /Widget /P 3 0 R /F 4 /Rect [%s] "
write(
    f"{folder}/form.pdf",
    [
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 7 0 R 8 0 R] /DR << /Font << /F 5 0 R >> >> >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> /Annots [6 0 R 7 0 R 8 0 R 9 0 R] >>",
        stream(b"BT /F 12 Tf 20 170 Td (Order of the harbour office) Tj ET"),
        font,
        field % b"20 120 200 140" + b"/FT /Tx /T (name) /V (Ada Writer) /DA (/F 12 Tf) >>",
        field % b"20 90 40 110" + b"/FT /Btn /T (urgent) /V /Yes /AS /Yes /AP << /N << /Yes 10 0 R /Off 10 0 R >> >> >>",
        field % b"20 60 200 80" + b"/FT /Tx /T (remark) /DA (/F 12 Tf) >>",
        b"<< /Type /Annot /Subtype /Text /Rect [250 150 270 170] /T (Cleo Reader) /Contents (Is this still so?) >>",
        stream(b"", b"/Type /XObject /Subtype /Form /BBox [0 0 20 20] "),
        b"<< /Title (Order) /CreationDate (D:20261114083000+01'00') >>",
    ],
    info=11,
)
turned = b"BT /F 12 Tf 0 1 -1 0 %d %d Tm (%s) Tj ET "
lines = [(100, 50, b"First line of turned text"), (120, 50, b"Second line")]
cells = [(150, 50, b"Name"), (150, 200, b"Value"), (170, 50, b"Ada"), (170, 200, b"12")]
write(
    f"{folder}/turned.pdf",
    [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Rotate 90 /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
        stream(b"".join(turned % line for line in lines + cells)),
        font,
    ],
)
side = 64
pixels = zlib.compress(bytes(255 if (x // 8 + y // 8) % 2 else 0 for y in range(side) for x in range(side)))
write(
    f"{folder}/scan.pdf",
    [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>",
        stream(b"q 200 0 0 200 0 0 cm /I Do Q"),
        stream(
            pixels,
            b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode "
            % (side, side),
        ),
    ],
)
