"""A workbook with what spreadsheets have: python ledger.py FILE. Formulas have no values until LibreOffice saves it."""
import datetime
import sys

import openpyxl
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName

book = openpyxl.Workbook()
book.properties.creator = "Ada Writer"
book.properties.title = "The tea ledger"
book.properties.created = book.properties.modified = datetime.datetime(2026, 11, 14, 8, 30)
sheet = book.active
sheet.title = "Budget"
sheet.append(["Item", "Price", "Count", "Total", "When"])
goods = [("Tea | green", 3.5, 10), ("Coffee\nstrong", 4.25, 20), ("Milk & <sugar>", 0.99, 3)]
for row, (name, price, count) in enumerate(goods, 2):
    sheet.append([name, price, count, f"=B{row}*C{row}", datetime.datetime(2026, 11, 12 + row, 12 if row == 3 else 0)])
sheet["E2"].number_format = "yyyy-mm-dd"
sheet["E3"].number_format = "d/m/yy h:mm"
sheet["E4"].number_format = "mmm d"
sheet["A5"] = "Sum"
sheet["D5"] = "=SUM(D2:D4)"
sheet["B6"] = 0.25
sheet["B6"].number_format = "0%"
sheet["C6"] = True
sheet["D6"] = datetime.time(14, 30)
sheet["E6"] = datetime.timedelta(hours=30, minutes=5)
sheet["E6"].number_format = "[h]:mm:ss"
sheet["A7"] = "the shop"
sheet["A7"].hyperlink = "https://example.org/tea?a=1&b=2"
sheet["A8"] = "=1/0"
sheet["A2"].comment = Comment("Buy more", "Ada")
sheet["A9"] = "Größe, 日本, 😀"
sheet.merge_cells("A9:C9")
far = book.create_sheet("My 'far' sheet")
far.sheet_state = "hidden"
far["A1"] = 1234567890123
far["XFD1048576"] = "far away"
book.create_sheet("Empty")
book.defined_names.append(DefinedName("Total", attr_text="Budget!$D$5"))
book.save(sys.argv[1])
