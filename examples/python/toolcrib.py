"""A client of `toolcrib rpc`: tools and agents of Toolcrib for Python programs.

Copy this file into your project. It needs Python 3.9 and nothing else. The protocol: docs/rpc.md.

    with Toolcrib() as toolcrib, toolcrib.open(workspace=".") as tools:
        print(tools.call("file.read", {"path": "README.md"})["content"])
"""

import itertools
import json
import subprocess
import threading
import traceback
import unicodedata
from concurrent.futures import Future


class ToolcribError(Exception):
    """An error of the server: `code` is one of Toolcrib's error codes, `hint` says how to recover."""

    def __init__(self, code, message, hint=None):
        super().__init__(message if hint is None else f"{message}\n{hint}")
        self.code, self.message, self.hint = code, message, hint


def printable(text):
    """Makes control characters visible. Use it for `reason`, `preview` and other texts that you show in a terminal."""
    return "".join(
        character if character in "\n\t" or not unicodedata.category(character).startswith(("C", "Zl", "Zp"))
        else f"<U+{ord(character):04X}>"
        for character in text
    )


class Toolcrib:
    """A running `toolcrib rpc`. Closing it ends everything that was opened."""

    def __init__(self, command=("toolcrib", "rpc"), cwd=None, env=None):
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd, env=env
        )
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        # Not the same lock: a write may have to wait until the reader has read.
        self._writing = threading.Lock()
        self._waiting = {}
        self._instances = {}
        self._error = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def open(self, approve=None, on_event=None, **options):
        """Opens an instance. Options are those of the library: workspace, mode, rules, only_tools …

        `approve(request)` answers calls that need approval: True, False, or a dictionary with `allow`, `remember`,
        `width` and `message`. It runs in a thread of its own. `on_event(event)` gets the events of calls, in the thread
        that reads responses: it must not wait for one.
        """
        return self._open("open", Instance, approve, on_event, options)

    def open_agent(self, approve=None, on_event=None, **options):
        """Opens an agent: an instance with a model. Further options: model, system, sampling, limits, resume …"""
        return self._open("agent.open", Agent, approve, on_event, options)

    def request(self, method, params):
        """Sends a request and waits for its result. Raises ToolcribError."""
        return self.start(method, params).result()

    def start(self, method, params):
        """Sends a request and returns at once. `result()` waits for it, `cancel()` cancels it."""
        request = Request(self, next(self._ids))
        with self._lock:
            if self._error is not None:
                raise self._error
            self._waiting[request.id] = request
        self._send({"id": request.id, "method": method, "params": params})
        return request

    def close(self):
        """Ends standard input, which closes all instances, and waits for the end of the server."""
        try:
            self._process.stdin.close()
        except OSError:
            pass
        code = self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self, method, kind, approve, on_event, options):
        params = {_camel(name): value for name, value in options.items() if value is not None}
        params.update(approve=approve is not None, events=on_event is not None)
        instance = kind(self, self.request(method, params), approve, on_event)
        self._instances[instance.id] = instance
        return instance

    def _send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        with self._writing:
            try:
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()
            except (OSError, ValueError):
                pass  # The reader reports the end of the server.

    def _read(self):
        for line in self._process.stdout:
            message = json.loads(line)
            if "method" not in message:
                self._settle(message)
            elif message["method"] == "approve":
                threading.Thread(target=self._approve, args=(message,), daemon=True).start()
            elif message["method"] == "event":
                self._event(message["params"])
        with self._lock:
            self._error = ToolcribError("unavailable", "toolcrib rpc has ended")
            waiting, self._waiting = self._waiting, {}
        for request in waiting.values():
            request._future.set_exception(self._error)

    def _settle(self, message):
        with self._lock:
            request = self._waiting.pop(message["id"], None)
        if request is None:
            return
        if "error" not in message:
            request._future.set_result(message["result"])
            return
        error = message["error"].get("data") or {"code": "invalid-input", "message": message["error"]["message"]}
        request._future.set_exception(ToolcribError(error["code"], error["message"], error.get("hint")))

    def _approve(self, message):
        params = message["params"]
        instance = self._instances.get(params["instance"])
        try:
            answer = instance.approve(params["request"])
        except Exception as error:  # The call is refused, whatever went wrong.
            answer = {"allow": False, "message": f"The program could not answer: {error}"}
        if not isinstance(answer, dict):
            answer = {"allow": answer is True}
        if answer.get("allow") is True:
            answer = {"hash": params["request"]["hash"], **answer}
        self._send({"id": message["id"], "result": answer})

    def _event(self, params):
        instance = self._instances.get(params["instance"])
        if instance is None or instance.on_event is None:
            return
        try:
            instance.on_event(params["event"])
        except Exception:  # Responses must still be read.
            traceback.print_exc()


class Request:
    """A request that was sent."""

    def __init__(self, toolcrib, id):
        self.id = id
        self._toolcrib = toolcrib
        self._future = Future()

    def result(self, timeout=None):
        return self._future.result(timeout)

    def cancel(self):
        """Cancels the request. Its result still comes: a failed call, or an aborted turn."""
        self._toolcrib._send({"method": "cancel", "params": {"id": self.id}})


class Instance:
    """The tools of one workspace."""

    def __init__(self, toolcrib, opened, approve, on_event):
        self.id = opened["instance"]
        self.session = opened["session"]
        self.workspace = opened["workspace"]
        self.warnings = opened["warnings"]
        self.approve = approve
        self.on_event = on_event
        self._toolcrib = toolcrib

    def request(self, method, **params):
        return self.start(method, **params).result()

    def start(self, method, **params):
        given = {_camel(name): value for name, value in params.items() if value is not None}
        return self._toolcrib.start(method, {"instance": self.id, **given})

    def definitions(self, format=None, which=None):
        """The tools, in the format of one provider: openai, openai-chat, anthropic, gemini, mcp or ai-sdk."""
        params = {"for": format, "which": which}
        return self.request("definitions", **params)["tools"]

    def call(self, name, input=None, timeout_ms=None, only_offered=None):
        """Calls a tool. A failure is a result, too: see `isError` and `error`.

        Pass `only_offered=True` when a model chose the name: it then finds only the tools of `definitions`.
        """
        return self.request("call", name=name, input=input or {}, timeout_ms=timeout_ms, only_offered=only_offered)

    def check(self, name, input=None, only_offered=None):
        """Says whether a call would be allowed, ask or be denied, and why. Runs nothing."""
        return self.request("check", name=name, input=input or {}, only_offered=only_offered)

    def approvals(self):
        """The questions of this workspace that wait for an answer."""
        return self.request("approvals.list")["approvals"]

    def answer(self, approval, allow=True, **answer):
        """Answers one of `approvals()`. It counts for exactly this call, when it is made again."""
        given = {"allow": True, "hash": approval["hash"], **answer} if allow else {"allow": False, **answer}
        self.request("approvals.answer", id=approval["id"], answer=given)

    def undo(self, **input):
        return self.request("undo", input=input)

    def redo(self, **input):
        return self.request("redo", input=input)

    def diff(self, **input):
        return self.request("diff", input=input)

    def log(self, limit=None):
        """The latest calls in the workspace, newest first."""
        return self.request("log", limit=limit)["calls"]

    def close(self):
        self.request("close")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Agent(Instance):
    """An instance with a model."""

    def run(self, input, output=None):
        """Runs a turn and returns its result. `output` is the JSON Schema of the answer."""
        return self.request("agent.run", input=input, output=output)

    def steer(self, text):
        """Sends a message to the model during a turn."""
        self.request("agent.steer", text=text)

    def follow_up(self, text):
        """Sends a message when the turn has ended."""
        self.request("agent.followUp", text=text)

    def abort(self):
        """Aborts the turn. The session can continue."""
        self.request("agent.abort")


def _camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
