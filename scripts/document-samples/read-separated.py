"""What Python's csv reads, a cell a line: python read-separated.py FILE ENCODING DELIMITER LINES_TO_SKIP"""
import csv
import sys

name, encoding, delimiter, skip = sys.argv[1:]
with open(name, newline="", encoding=encoding) as file:
    for _ in range(int(skip)):
        file.readline()
    for row in csv.reader(file, delimiter="\t" if delimiter == "tab" else delimiter):
        for cell in row:
            print(cell)
