"""Changes a file under supervision, and takes it back. Run it with: python3 examples/python/main.py"""

import sys
import tempfile
from pathlib import Path

from toolcrib import Toolcrib, printable


def approve(request):
    print(f"{request['tool']} needs approval: {printable(request['reason'])}")
    return True


command = sys.argv[1:] or ["toolcrib", "rpc"]
with tempfile.TemporaryDirectory() as workspace:
    poem = Path(workspace, "poem.txt")
    poem.write_text("Two roads diverged in a blue wood\n")
    with Toolcrib(command) as toolcrib, toolcrib.open(workspace=workspace, mode="safe", approve=approve) as tools:
        tools.call("edit.replace", {"path": "poem.txt", "find": "blue", "replace": "yellow"})
        print(poem.read_text().strip())
        tools.undo()
        print(poem.read_text().strip())
