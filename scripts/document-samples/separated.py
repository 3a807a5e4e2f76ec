"""Tables of separated values: python separated.py FOLDER"""
import csv
import sys

folder = sys.argv[1]
rows = [
    ["Harbour", "Depth", "Since", "Remark"],
    ["Nord, old", "4.5", "1902-03-01", 'called "the hole"'],
    ["Süd", "12", "", "two\nlines | and a bar"],
    ["Ost", "-1.25", "2001-10-31", ""],
]
with open(f"{folder}/harbours.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows(rows)
with open(f"{folder}/harbours-excel.csv", "w", newline="", encoding="cp1252") as file:
    file.write("sep=;\r\n")
    csv.writer(file, delimiter=";").writerows(rows + [["short"], ["long", "1", "2", "3", "4"]])
with open(f"{folder}/harbours.tsv", "w", newline="", encoding="utf-16") as file:
    csv.writer(file, delimiter="\t").writerows(rows)
