/** A language server that misbehaves as its argument says, and in renames as how.txt says. It runs in the sandbox of a test's workspace. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";

const [mode, mark] = process.argv.slice(2);
let buffer = Buffer.alloc(0);
const answers = [];
let asking;

// A process that would outlive it.
if (mode === "leaves")
  spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", mark], { detached: true, stdio: "ignore" });

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
}

function edit(uri, newText, end = 5) {
  return {
    changes: {
      [uri]: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: end } }, newText }],
    },
  };
}

const tries = {
  write: () => writeFileSync("written.txt", "x"),
  secret: () => readFileSync(".env", "utf8"),
};

async function hover() {
  if (mode === "huge") return void process.stdout.write("Content-Length: 999999999999\r\n\r\n");
  if (mode === "flood") {
    const noise = { method: "$/progress", params: { token: 1, value: "x".repeat(60_000) } };
    const flood = () => {
      for (let count = 0; count < 20; count += 1) send(noise);
      // An answer that was not asked for does not count.
      send({ id: 999_999, result: null });
      setImmediate(flood);
    };
    return flood();
  }
  if (mode === "garbage") return void process.stdout.write("x".repeat(10_000));
  if (mode === "crash") process.exit(3);
  if (mode === "leaves") return {};
  if (mode === "asks") {
    const requests = [
      ["workspace/applyEdit", { edit: edit("file:///etc/passwd", "x") }],
      ["window/showDocument", { uri: "https://example.com", external: true }],
      ["workspace/executeCommand", { command: "rm" }],
      ["window/showMessageRequest", { type: 1, message: "?", actions: [{ title: "yes" }] }],
    ];
    asking = requests.length;
    for (const [at, [method, params]] of requests.entries()) send({ id: `s${at}`, method, params });
    return undefined;
  }
  const found = {};
  for (const [name, attempt] of Object.entries(tries))
    try {
      found[name] = attempt() ?? "done";
    } catch (error) {
      found[name] = error.code;
    }
  found.network = await new Promise((resolve) => {
    connect({ host: "1.1.1.1", port: 53, timeout: 2000 })
      .on("connect", () => resolve("connected"))
      .on("timeout", () => resolve("refused"))
      .on("error", () => resolve("refused"));
  });
  return found;
}

async function answer({ id, method, params, result, error }) {
  if (method === undefined) {
    answers.push(result ?? { error: error.code });
    if (answers.length === asking) send({ id: askedBy, result: { contents: JSON.stringify(answers) } });
    return;
  }
  if (id === undefined) return;
  if (method === "initialize" && mode === "silent") return;
  if (method === "initialize")
    return send({
      id,
      result: {
        capabilities: {
          hoverProvider: true,
          renameProvider: true,
          definitionProvider: true,
          referencesProvider: true,
        },
      },
    });
  if (method === "textDocument/rename")
    return send({ id, result: renames[readFileSync("how.txt", "utf8")](params.textDocument.uri) });
  if (method === "textDocument/hover") {
    askedBy = id;
    const found = await hover();
    if (found !== undefined) send({ id, result: { contents: JSON.stringify(found) } });
    return;
  }
  send({ id, result: null });
}

let askedBy;

const renames = {
  outside: () => edit("file:///etc/passwd", "other"),
  above: (uri) => edit(uri.replace(/[^/]*$/, "../../outside.x"), "other"),
  more: (uri) => edit(uri, "other; evil()"),
  deletes: (uri) => edit(uri, "", 9),
  comments: (uri) => edit(uri, "// ", 0),
  negates: (uri) => edit(uri, "!other"),
  reorders: (uri) => edit(uri, "1 = other", 9),
  replaces: (uri) => ({
    changes: {
      [uri]: [
        { range: { start: { line: 0, character: 6 }, end: { line: 0, character: 7 } }, newText: "other" },
      ],
    },
  }),
  moves: (uri) => {
    const [from, to] = ["names.x", "conftest.py"].map((name) => uri.replace(/[^/]*$/, name));
    return {
      documentChanges: [
        { textDocument: { uri: from }, edits: edit(from, "other").changes[from] },
        { kind: "rename", oldUri: from, newUri: to },
      ],
    };
  },
  endless: (uri) => ({ changes: { [uri]: Array(60_000).fill(edit(uri, "other").changes[uri][0]) } }),
  creates: (uri) => ({ documentChanges: [{ kind: "create", uri: `${uri}.sh` }] }),
  editor: (uri) => edit(uri.replace(/[^/]*$/, ".vscode/tasks.json"), "other"),
  malformed: () => ({ changes: { x: [{ range: 3 }] } }),
};

process.stdin.on("data", (piece) => {
  buffer = Buffer.concat([buffer, piece]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(buffer.toString("latin1", 0, end))?.[1]);
    if (end === -1 || buffer.length < end + 4 + length) return;
    const message = JSON.parse(buffer.toString("utf8", end + 4, end + 4 + length));
    buffer = buffer.subarray(end + 4 + length);
    void answer(message);
  }
});
