#!/usr/bin/python3
"""Makes test/samples/notebook-edits.json: notebooks before and after an edit, as nbformat (5.5) writes them.

Run it in development (Debian: python3-nbformat): scripts/make-notebook-samples.py > test/samples/notebook-edits.json
"""
import copy
import hashlib
import json
import random

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

random.seed(20261115)
PIECES = ["x = 1\n", "print('é 日本')\n", "\n", 'a\\b\t"q"\n', "# 😀\n", "last", "\u2028\x0b\x0c\n", "\r\n", "z\r", "\x1b[31mred\n"]


def source():
    return "".join(random.choice(PIECES) for _ in range(random.randrange(0, 6)))


def output():
    kind = random.randrange(3)
    if kind == 0:
        return new_output("stream", name="stdout", text=source())
    if kind == 1:
        return new_output("error", ename="E", evalue="v", traceback=["\x1b[0;31mE\x1b[0m", source()])
    data = {"text/plain": source(), "application/json": {"a": [1, {}], "b": []}}
    return new_output("execute_result", data=data, execution_count=3)


def cell(number):
    identity = {"id": f"cell-{number}"}
    kind = random.choice(["code", "markdown", "raw"])
    if kind == "raw":
        return new_raw_cell(source(), **identity)
    if kind == "markdown":
        attachments = {"attachments": {"a.png": {"image/png": "AAAA"}}} if random.random() < 0.3 else {}
        return new_markdown_cell(source(), **identity, **attachments)
    return new_code_cell(
        source(),
        outputs=[output() for _ in range(random.randrange(0, 3))],
        execution_count=random.choice([None, 5]),
        metadata=random.choice([{}, {"tags": ["a"], "x": {}}]),
        **identity,
    )


def notebook():
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    made = new_notebook(cells=[cell(number) for number in range(random.randrange(0, 5))], metadata=metadata)
    made.nbformat_minor = random.choice([4, 5])
    if made.nbformat_minor < 5:
        for one in made.cells:
            one.pop("id")
    return made


def new_id(made, index, text):
    """As src/text/notebook/insert-cell.ts makes it."""
    taken = [one.get("id") for one in made.cells]
    taken = list(dict.fromkeys(taken))
    told = json.dumps([0, index, text, *taken], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()[:8]


def edited(before, edit):
    made = copy.deepcopy(before)
    number, kind, text = edit.get("cell"), edit.get("cell_type"), edit.get("source")
    if edit["operation"] == "delete":
        del made.cells[number - 1]
    elif edit["operation"] == "replace":
        replaced = made.cells[number - 1]
        replaced.source = text
        kind = kind or replaced.cell_type
        if kind == "code":
            replaced.pop("attachments", None)
            replaced["outputs"], replaced["execution_count"] = [], None
        elif replaced.cell_type == "code":
            del replaced["outputs"], replaced["execution_count"]
        replaced.cell_type = kind
    else:
        count = len(made.cells)
        index = {"append": count, "insert_before": (number or 0) - 1, "insert_after": number}[edit["operation"]]
        beside = made.cells[-1] if number is None and count else made.cells[number - 1] if count else None
        kind = kind or (beside.cell_type if beside else "code")
        make = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}[kind]
        added = make(text, id=new_id(made, index, text))
        if made.nbformat_minor < 5:
            added.pop("id")
        made.cells.insert(index, added)
    nbformat.validate(made)
    return made


def sample():
    before = notebook()
    count = len(before.cells)
    operations = ["replace", "insert_before", "insert_after", "append", "delete"] if count else ["append"]
    edit = {"operation": random.choice(operations)}
    if edit["operation"] != "append":
        edit["cell"] = random.randrange(1, count + 1)
    if edit["operation"] != "delete":
        edit["source"] = source()
        kind = random.choice([None, "code", "markdown", "raw"])
        if kind:
            edit["cell_type"] = kind
    after = edited(before, edit)
    return {"edit": edit, "before": nbformat.writes(before) + "\n", "after": nbformat.writes(after) + "\n"}


samples = [sample() for _ in range(30)]
print(json.dumps([one for one in samples if one["before"] != one["after"]], indent=1))
