"""Tools and an agent from Python, through `toolcrib rpc`."""

import os

from toolcrib import Toolcrib, ToolcribError

asked = []


def approve(request):
    asked.append(request["tool"])
    return True


with Toolcrib(["toolcrib", "rpc"]) as toolcrib:
    with toolcrib.open(workspace=".", mode="safe", approve=approve) as tools:
        tools.call("edit.replace", {"path": "poem.txt", "find": "two", "replace": "2"})
        print(tools.call("file.read", {"path": "poem.txt"})["content"].split("\n")[1])
        # prints: 2 | 2
        tools.undo()
        print(open("poem.txt").read().split("\n")[1], asked)
        # prints: two ['edit.replace', 'journal.undo']
        missing = tools.call("file.read", {"path": "pome.txt"})
        print(missing["isError"], missing["error"]["code"])
        # prints: True not-found
    try:
        toolcrib.open(workspace="missing")
    except ToolcribError as error:
        print(error.code)
        # prints: not-found
    schema = {"type": "object", "properties": {"lines": {"type": "number"}}, "required": ["lines"]}
    with toolcrib.open_agent(workspace=".", model=os.environ["TOOLCRIB_MODEL"]) as agent:
        result = agent.run("Describe poem.txt", output=schema)
        print(result["outcome"], result["output"]["lines"])
        # prints: completed 2
