"""What openpyxl reads of a workbook, a cell a line: python read-sheets.py FILE"""
import sys

import openpyxl

for sheet in openpyxl.load_workbook(sys.argv[1], data_only=True):
    for cells in sheet._cells.values() if sheet.max_row > 10_000 else (cell for row in sheet.rows for cell in row):
        if cells.value is not None:
            print(f"{sheet.title}\t{cells.coordinate}\t{cells.value}".replace("\n", " / "))
