#!/bin/bash
# Makes the samples of test/samples/documents again, and beside each what a second, independent reader says of it.
# For development only: needs LibreOffice, pandoc, poppler-utils and python3 with docx, odf and ebooklib (Debian 12).
# The samples are kept in the repository; run this when one changes, and look at the difference.
set -euo pipefail
cd "$(dirname "$0")"
sources=$PWD/document-samples
out=$PWD/../test/samples/documents
python=/usr/bin/python3
mkdir -p "$out"

# Its plain text draws cells side by side, so the words are taken out of its HTML.
by_pandoc() {
  pandoc -t html --wrap=none "$out/$1" | sed 's/<sup>[0-9]*<\/sup>//g; s/<[^>]*>/ /g' >"$out/$1.pandoc.txt"
}

# Texts, presentations and books.
office_texts() {
  for format in odt docx rtf; do
    soffice --headless --convert-to "$format" --outdir "$out" "$sources/report.fodt" >/dev/null
  done
  for name in report.odt report.docx; do by_pandoc "$name"; done
  # Neither pandoc nor unrtf reads its notes and tables.
  soffice --headless --convert-to txt:"Text (encoded):UTF8" --outdir /tmp "$out/report.rtf" >/dev/null
  mv /tmp/report.txt "$out/report.rtf.soffice.txt"
  "$python" "$sources/word.py" "$out/word.docx"
  by_pandoc word.docx
  for format in odp pptx; do
    soffice --headless --convert-to "$format" --outdir "$out" "$sources/talk.fodp" >/dev/null
  done
  "$python" "$sources/read-odf.py" "$out/talk.odp" >"$out/talk.odp.odfpy.txt"
  pandoc -o "$out/planned.pptx" "$sources/planned.md"
  for name in talk planned; do
    # What a page shows is what LibreOffice makes of it; hidden slides and notes are not printed.
    soffice --headless --convert-to pdf --outdir /tmp "$out/$name.pptx" >/dev/null
    pdftotext "/tmp/$name.pdf" "$out/$name.pptx.pdftotext.txt"
    rm "/tmp/$name.pdf"
  done
  "$python" "$sources/book.py" "$out/book.epub"
  pandoc -o "$out/planned.epub" "$sources/planned.md"
  for name in book planned; do
    "$python" "$sources/read-epub.py" "$out/$name.epub" >"$out/$name.epub.ebooklib.txt"
  done
}

for family in "${@:-office_texts}"; do "$family"; done
