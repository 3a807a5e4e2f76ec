"""A notebook as somebody leaves it: run, with text, a table, a picture, an error, and one cell that was not run."""
import base64
import struct
import sys
import zlib

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell


def picture():
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + b"\xff\x80\x00" * 4 for _ in range(3))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 3, 8, 2, 0, 0, 0))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")).decode()


table = """<div><style scoped>.a { color: red }</style><table border="1" class="dataframe"><thead><tr><th></th>
<th>city</th><th>rain</th></tr></thead><tbody><tr><th>0</th><td>Köln</td><td>837</td></tr><tr><th>1</th><td>Wien</td>
<td>651</td></tr></tbody></table></div>"""

cells = [
    new_markdown_cell("# Rain in cities\n\nMeasured *yearly*, see the [source](https://example.com/rain).", id="intro"),
    new_code_cell(
        "import pandas as pd\nfor year in range(2):\n    print(year)",
        id="load",
        execution_count=1,
        outputs=[
            new_output("stream", name="stdout", text="0\n"),
            new_output("stream", name="stdout", text="1\n"),
            new_output("stream", name="stderr", text="careful: \x1b[33mold data\x1b[0m\n"),
        ],
    ),
    new_code_cell(
        "frame",
        id="frame",
        execution_count=2,
        outputs=[
            new_output(
                "execute_result",
                execution_count=2,
                data={"text/html": table, "text/plain": "   city  rain\n0  Köln   837\n1  Wien   651"},
            )
        ],
    ),
    new_code_cell(
        "frame.plot()",
        id="plot",
        execution_count=3,
        outputs=[
            new_output("execute_result", execution_count=3, data={"text/plain": "<Axes: >"}),
            new_output("display_data", data={"image/png": picture(), "text/plain": "<Figure size 4x3>"}),
        ],
    ),
    new_code_cell(
        "1 / 0",
        id="wrong",
        execution_count=4,
        outputs=[
            new_output(
                "error",
                ename="ZeroDivisionError",
                evalue="division by zero",
                traceback=[
                    "\x1b[0;31m-----------------\x1b[0m",
                    "\x1b[0;31mZeroDivisionError\x1b[0m: division by zero",
                ],
            )
        ],
    ),
    new_raw_cell("left as it is", id="raw"),
    new_code_cell("# not run yet\nprint('`ticks` ``` in code')", id="later"),
]
metadata = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "version": "3.11.2"},
    "authors": [{"name": "Ada Example"}],
}
made = new_notebook(cells=cells, metadata=metadata)
nbformat.validate(made)
nbformat.write(made, f"{sys.argv[1]}/rain.ipynb")

for one in made.cells:
    del one["id"]
made.nbformat_minor = 4
nbformat.write(nbformat.convert(made, 3), f"{sys.argv[1]}/rain-3.ipynb", version=3)
