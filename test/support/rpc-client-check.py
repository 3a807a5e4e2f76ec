"""Checks examples/python/toolcrib.py. Prints "ok"."""

import sys
import threading

from toolcrib import Toolcrib, ToolcribError, printable


def refused(work):
    try:
        work()
    except ToolcribError as error:
        return error.code
    return None


assert printable("a\x1b[2J\u202eb\n\té") == "a<U+001B>[2J<U+202E>b\n\té"
command = sys.argv[1:]
events = []
started = threading.Event()


def on_event(event):
    events.append(event["type"])
    if event["type"] == "tool-output":
        started.set()
    if event["type"] == "tool-end":
        raise ValueError("A callback that fails must not end the client.")


with Toolcrib(command) as toolcrib:
    with toolcrib.open(mode="yolo", on_event=on_event) as tools:
        assert tools.call("text.echo", {"text": "héllo"})["content"] == "héllo"
        assert tools.call("file.read", {"path": "nothing"})["error"]["code"] == "not-found"
        assert [tool["name"] for tool in tools.definitions(format="openai")]
        request = tools.start("call", name="shell.run", input={"command": "echo begun; sleep 600"})
        assert started.wait(60)
        request.cancel()
        assert request.result(60)["error"]["code"] == "cancelled"
        assert "tool-start" in events and "tool-end" in events
        assert len(tools.log(limit=1)) == 1
    assert refused(lambda: tools.call("text.echo", {"text": "x"})) == "not-found"
    assert refused(lambda: toolcrib.open(mode="reckless")) == "invalid-input"
    with toolcrib.open(dialect="claude-code") as tools:
        assert not tools.call("text.echo", {"text": "x"})["isError"]
        assert tools.call("text.echo", {"text": "x"}, only_offered=True)["error"]["code"] == "not-found"
        assert tools.check("text.echo", {"text": "x"}, only_offered=True)["verdict"] == "deny"

    answers = iter([True, False, {"allow": False, "message": "Not now."}, {"allow": True, "hash": "other"}, "yes"])
    careful = toolcrib.open(mode="safe", approve=lambda request: next(answers))
    write = lambda: careful.call("file.write", {"path": "a.txt", "content": "a"})
    assert not write()["isError"]
    results = [careful.call("file.write", {"path": f"{n}.txt", "content": "b"}) for n in range(4)]
    assert all(result["error"]["code"] == "denied" for result in results), results
    # No answers are left: the callback fails, and the call is refused.
    assert careful.call("file.write", {"path": "z.txt", "content": "b"})["error"]["code"] == "denied"

    stored = toolcrib.open(mode="safe", pending_approvals=True)
    note = {"path": "note.txt", "content": "a"}
    assert stored.check("file.write", note)["verdict"] == "ask"
    assert stored.call("file.write", note)["error"]["code"] == "needs-approval"
    stored.answer(stored.approvals()[-1])
    assert not stored.call("file.write", note)["isError"]

    with toolcrib.open_agent() as agent:
        schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
        assert agent.run("Is it?", output=schema)["output"] == {"ok": True}

    slow = toolcrib.open(mode="yolo")
    waiting = slow.start("call", name="shell.run", input={"command": "sleep 600"})
    toolcrib._process.kill()
    assert refused(lambda: waiting.result(60)) == "unavailable"
    assert refused(lambda: slow.log()) == "unavailable"
print("ok")
