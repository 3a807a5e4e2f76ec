#!/bin/bash
# Makes the samples of test/samples/documents, and next to each the output of a second, independent reader.
# For development only: needs LibreOffice, pandoc, poppler-utils, qpdf and python3 with docx, odf, openpyxl and ebooklib (Debian 12).
# The samples are in the repository; run this when one changes, and check the difference.
set -euo pipefail
cd "$(dirname "$0")"
sources=$PWD/document-samples
out=$PWD/../test/samples/documents
python=/usr/bin/python3
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# Its plain text puts cells side by side, so the words are taken from its HTML.
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
  soffice --headless --convert-to txt:"Text (encoded):UTF8" --outdir "$scratch" "$out/report.rtf" >/dev/null
  mv "$scratch/report.txt" "$out/report.rtf.soffice.txt"
  "$python" "$sources/word.py" "$out/word.docx"
  by_pandoc word.docx
  for format in odp pptx; do
    soffice --headless --convert-to "$format" --outdir "$out" "$sources/talk.fodp" >/dev/null
  done
  "$python" "$sources/read-odf.py" "$out/talk.odp" >"$out/talk.odp.odfpy.txt"
  pandoc -o "$out/planned.pptx" "$sources/planned.md"
  "$python" "$sources/survey.py" "$out/talk.pptx" "$out/survey.pptx"
  for name in talk planned survey; do
    # Pages are as LibreOffice prints them, without hidden slides and notes.
    soffice --headless --convert-to pdf --outdir "$scratch" "$out/$name.pptx" >/dev/null
    pdftotext "$scratch/$name.pdf" "$out/$name.pptx.pdftotext.txt"
  done
  "$python" "$sources/book.py" "$out/book.epub"
  pandoc -o "$out/planned.epub" "$sources/planned.md"
  for name in book planned; do
    "$python" "$sources/read-epub.py" "$out/$name.epub" >"$out/$name.epub.ebooklib.txt"
  done
}

# Spreadsheets, tables of separated values, PDF.
sheets_and_pages() {
  "$python" "$sources/ledger.py" "$out/ledger.xlsx"
  for format in ods xlsx; do
    soffice --headless --convert-to "$format" --outdir "$scratch" "$out/ledger.xlsx" >/dev/null
    mv "$scratch/ledger.$format" "$out/ledger-office.$format"
  done
  for name in ledger ledger-office; do
    "$python" "$sources/read-sheets.py" "$out/$name.xlsx" >"$out/$name.xlsx.openpyxl.txt"
  done
  "$python" "$sources/read-odf.py" "$out/ledger-office.ods" >"$out/ledger-office.ods.odfpy.txt"
  "$python" "$sources/separated.py" "$out"
  by_python() { "$python" "$sources/read-separated.py" "$out/$1" "${@:2}" >"$out/$1.python.txt"; }
  by_python harbours.csv utf-8 , 0
  by_python harbours-excel.csv cp1252 ";" 1
  by_python harbours.tsv utf-16 tab 0
  soffice --headless --convert-to pdf --outdir "$out" "$sources/paper.fodt" >/dev/null
  "$python" "$sources/form.py" "$out"
  qpdf --encrypt secret owner 256 -- "$out/form.pdf" "$out/locked.pdf"
  qpdf --encrypt "" owner 256 --modify=none -- "$out/form.pdf" "$out/restricted.pdf"
  for name in paper form turned; do pdftotext "$out/$name.pdf" "$out/$name.pdf.pdftotext.txt"; done
}

pictures() {
  "$sources/pictures.sh" "$out"
}

[[ $# -gt 0 ]] || set -- office_texts sheets_and_pages
for family in "$@"; do "$family"; done
