import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { launcher } from "../../../test/support/built-program.ts";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { RpcClient } from "../../../test/support/rpc-client.ts";
import { protocolSchema } from "./protocol.ts";

const repository = join(import.meta.dirname, "../../..");
const rpc = (fixture: CliWorkspace, ...words: readonly string[]) =>
  new RpcClient(fixture.start("rpc", ...words));

/** Tests of instances share one process, in which each has its own workspace. */
let shared: { readonly fixture: CliWorkspace; readonly client: RpcClient };
beforeAll(() => {
  const fixture = cliWorkspace();
  shared = { fixture, client: rpc(fixture) };
});
afterAll(async () => {
  await shared?.client[Symbol.asyncDispose]();
  await shared?.fixture[Symbol.asyncDispose]();
});
function sharedClient(): RpcClient {
  const { client } = shared;
  client.lines.length = 0;
  client.answer = () => undefined;
  return client;
}

async function opened(client: RpcClient, options: object = {}, method = "open"): Promise<string> {
  const { result, error } = await client.ask(method, { sandbox: "none", ...options });
  expect(error).toBeUndefined();
  return result.instance;
}

/** Allows what is asked, with the hash of the question. */
const allowing = (_method: string, { request }: Record<string, unknown>) => ({
  result: { allow: true, hash: (request as { hash: string }).hash },
});

it("calls, lists, undoes and reports in several instances of one connection", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  fixture.write("a.txt", "one\n");
  mkdirSync(join(fixture.home, "other"), { recursive: true });
  await using client = rpc(fixture);
  const first = await opened(client, { events: true });
  const other = await opened(client, { workspace: join(fixture.home, "other"), dialect: "claude-code" });
  expect([first, other]).toEqual(["instance_1", "instance_2"]);

  const { result: listed } = await client.ask("definitions", { instance: other, for: "anthropic" });
  expect(listed.tools[0]).toMatchObject({ name: "Read", input_schema: { type: "object" } });
  const edit = { path: "a.txt", find: "one", replace: "two" };
  const { result: edited } = await client.ask("call", { instance: first, name: "edit.replace", input: edit });
  expect([edited.isError, fixture.read("a.txt")]).toEqual([false, "two\n"]);
  const { result: diff } = await client.ask("diff", { instance: first });
  expect(diff.content).toContain("+two");
  const { result: undone } = await client.ask("undo", { instance: first });
  expect([undone.isError, fixture.read("a.txt")]).toEqual([false, "one\n"]);
  await client.ask("redo", { instance: first });
  expect(fixture.read("a.txt")).toBe("two\n");
  const { result: log } = await client.ask("log", { instance: first, limit: 2 });
  expect(log.calls.map(({ tool }: { tool: string }) => tool)).toEqual(["journal.undo", "journal.undo"]);
  const { result: none } = await client.ask("log", { instance: other });
  expect(none.calls).toEqual([]);

  const missing = await client.ask("call", { instance: first, name: "file.read", input: { path: "b.txt" } });
  expect(missing.result).toMatchObject({ isError: true, error: { code: "not-found" } });
  // Only the first instance has events, each with the id of its request.
  expect(
    client.lines.filter(({ method }) => method === "event").map(({ params }) => params!.instance),
  ).toEqual(expect.not.arrayContaining([other]));
  expect(client.events.slice(-2)).toMatchObject([
    { type: "tool-start", canonical: "file.read" },
    { type: "tool-end", isError: true, error: { code: "not-found", message: "b.txt does not exist" } },
  ]);
  expect((await client.ask("close", { instance: other })).result).toEqual({});
  expect((await client.ask("log", { instance: other })).error?.data?.code).toBe("not-found");
});

describe("approvals", () => {
  it("ask the client, and count only for exactly what was shown", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const client = sharedClient();
    const instance = await opened(client, { workspace: fixture.workspace, mode: "safe", approve: true });
    const write = (path: string) =>
      client.ask("call", { instance, name: "file.write", input: { path, content: "x" } });
    const asked: unknown[] = [];
    client.answer = (method, params) => {
      const { tool, input, preview } = params.request as Record<string, unknown>;
      asked.push([method, params.instance, tool, input, typeof preview]);
      return allowing(method, params);
    };
    expect((await write("a.txt")).result.isError).toBe(false);
    // The answer to one call does not count for another input.
    expect((await write("b.txt")).result.isError).toBe(false);
    const shown = (path: string) => ["approve", instance, "file.write", { path, content: "x" }, "string"];
    expect(asked).toEqual([shown("a.txt"), shown("b.txt")]);

    const wrong: readonly object[] = [
      { result: { allow: true } },
      { result: { allow: true, hash: "another request" } },
      { result: { allow: "yes", hash: "x" } },
      { result: null },
      { error: { code: -32601, message: "no such method" } },
      { result: { allow: false, message: "Not today." } },
    ];
    for (const answer of wrong) {
      client.answer = () => answer;
      expect((await write("c.txt")).result.error.code).toBe("denied");
    }
    expect(existsSync(join(fixture.workspace, "c.txt"))).toBe(false);
    expect((await write("c.txt")).result.content).toContain("Not today.");
  });

  it("are refused without `approve`, and cannot be answered for another question", async () => {
    await using fixture = cliWorkspace();
    const client = sharedClient();
    const quiet = await opened(client, { workspace: fixture.workspace, mode: "safe" });
    const asking = await opened(client, { workspace: fixture.workspace, mode: "safe", approve: true });
    const input = { path: "a.txt", content: "x" };
    const { result } = await client.ask("call", { instance: quiet, name: "file.write", input });
    expect(result.error.code).toBe("needs-approval");
    const ids = [1, 2].map((number) =>
      client.send("call", {
        instance: asking,
        name: "file.write",
        input: { ...input, path: `${number}.txt` },
      }),
    );
    const questions = await Promise.all(
      ["1.txt", "2.txt"].map((path) =>
        client.seen(
          ({ method, params }) => method === "approve" && JSON.stringify(params).includes(`"path":"${path}"`),
        ),
      ),
    );
    // The hashes are exchanged: neither call runs.
    const hashes = questions.map(({ params }) => (params!.request as { hash: string }).hash).reverse();
    for (const [index, { id }] of questions.entries())
      client.write(
        `${JSON.stringify({ jsonrpc: "2.0", id, result: { allow: true, hash: hashes[index] } })}\n`,
      );
    for (const id of ids) expect((await client.response(id)).result.error.code).toBe("denied");
    expect(["a", "1", "2"].map((name) => existsSync(join(fixture.workspace, `${name}.txt`)))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

it("checks calls without making them, and answers stored approvals of its own workspace only", async () => {
  await using fixture = cliWorkspace();
  mkdirSync(join(fixture.home, "other"), { recursive: true });
  const client = sharedClient();
  const instance = await opened(client, {
    workspace: fixture.workspace,
    mode: "safe",
    pendingApprovals: true,
  });
  const other = await opened(client, { mode: "safe", workspace: join(fixture.home, "other") });
  const call = { instance, name: "file.write", input: { path: "a.txt", content: "x" } };
  const { result: checked } = await client.ask("check", call);
  expect([checked.verdict, checked.request.tool, checked.error]).toEqual(["ask", "file.write", null]);
  const { result: unknown } = await client.ask("check", { instance, name: "file.wirte" });
  expect([unknown.verdict, typeof unknown.error.code]).toEqual(["deny", "string"]);

  expect((await client.ask("call", call)).result.error.code).toBe("needs-approval");
  const { result } = await client.ask("approvals.list", { instance });
  const [{ id, hash }] = result.approvals;
  const answer = { allow: true, hash };
  expect((await client.ask("approvals.answer", { instance: other, id, answer })).error?.data?.code).toBe(
    "not-found",
  );
  const altered = { instance, id, answer: { allow: true, hash: "another" } };
  expect((await client.ask("approvals.answer", altered)).error?.data?.code).toBe("stale");
  expect((await client.ask("approvals.answer", { instance, id, answer })).result).toEqual({});
  const changed = { ...call, input: { path: "a.txt", content: "altered" } };
  expect((await client.ask("call", changed)).result.error.code).toBe("needs-approval");
  expect((await client.ask("call", call)).result.isError).toBe(false);
  expect(fixture.read("a.txt")).toBe("x");
});

it("cancels a call with everything it started, and withdraws its question", async () => {
  await using fixture = cliWorkspace();
  const client = sharedClient();
  const instance = await opened(client, { workspace: fixture.workspace, mode: "yolo", events: true });
  const asking = await opened(client, { workspace: fixture.workspace, mode: "safe", approve: true });
  const command = "echo $$; exec sleep 600";
  const running = client.send("call", {
    instance,
    name: "shell.run",
    input: { command, timeout_ms: 600_000 },
  });
  const { params } = await client.seen((line) => Object(line.params?.event).type === "tool-output");
  const pid = Number((params!.event as { text: string }).text);
  expect(isAlive(pid)).toBe(true);
  client.notify("cancel", { id: running });
  expect((await client.response(running)).result.error.code).toBe("cancelled");
  expect(isAlive(pid)).toBe(false);

  const input = { path: "a.txt", content: "x" };
  const waiting = client.send("call", { instance: asking, name: "file.write", input });
  const { id } = await client.seen(({ method }) => method === "approve");
  client.notify("cancel", { id: waiting });
  expect((await client.response(waiting)).result.error.code).toBe("cancelled");
  await client.seen((line) => line.method === "cancel" && line.params?.id === id);
});

it("refuses hostile lines with a clear error, and continues", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  await using client = rpc(fixture);
  const instance = await opened(client);
  const errorAfter = async (text: string | Uint8Array) => {
    const before = client.lines.length;
    client.write(text);
    await client.seen((line) => client.lines.indexOf(line) >= before && line.error !== undefined);
    const { error, id } = client.lines.slice(before).find((line) => line.error !== undefined)!;
    expect(error?.data).toMatchObject({ message: error?.message, hint: null });
    return [id, error?.code, error?.message];
  };
  expect(await errorAfter("{ not json\n")).toEqual([null, -32700, expect.stringContaining("not JSON")]);
  expect(await errorAfter(Buffer.from([0x22, 0xff, 0x22, 0x0a]))).toEqual([
    null,
    -32700,
    expect.stringContaining("not UTF-8"),
  ]);
  expect(await errorAfter('{"id": 1, "method": "open"}\n')).toEqual([null, -32600, expect.any(String)]);
  expect(await errorAfter('{"jsonrpc":"2.0","id":{},"method":"open"}\n')).toEqual([
    null,
    -32600,
    expect.stringContaining("string or a number"),
  ]);
  const tooLong = `${" ".repeat(33 * 1024 * 1024)}\n`;
  expect(await errorAfter(tooLong)).toEqual([null, -32600, expect.stringContaining("too long")]);

  for (const method of ["opne", "__proto__", "constructor", "toString", ""]) {
    const { error } = await client.ask(method, { instance });
    expect([error?.code, error?.data?.code]).toEqual([-32601, "unsupported"]);
  }
  const invalid: readonly (readonly [string, unknown])[] = [
    ["open", { mode: "reckless" }],
    ["open", { approve: "yes" }],
    ["open", { environment: {} }],
    ["call", { instance, name: 5 }],
    ["call", { name: "file.read" }],
    ["call", "text"],
    ["agent.run", { instance, input: [{ type: "file" }] }],
  ];
  for (const [method, params] of invalid)
    expect((await client.ask(method, params as object)).error).toMatchObject({
      code: -32602,
      data: { code: "invalid-input", hint: expect.stringContaining("docs/rpc.md") },
    });
  expect((await client.ask("log", { instance: "instance_9" })).error?.data?.code).toBe("not-found");
  expect((await client.ask("agent.steer", { instance, text: "x" })).error?.data?.code).toBe("unsupported");
  client.write('{"jsonrpc":"2.0","id":"server_1","result":{"allow":true}}\n');
  client.notify("cancel", { id: "nothing" });
  client.notify("exit", {});
  expect((await client.ask("log", { instance })).result).toEqual({ calls: [] });
});

it("keeps commands and their output off its standard output", async () => {
  await using fixture = cliWorkspace();
  const client = sharedClient();
  const instance = await opened(client, { workspace: fixture.workspace, mode: "yolo", events: true });
  const commands = ["echo out; echo err >&2", "echo pollution > /dev/stdout", 'printf \'{"jsonrpc":"2.0"}\''];
  for (const command of commands) {
    const { result } = await client.ask("call", { instance, name: "shell.run", input: { command } });
    expect(result.error).toBe(null);
  }
  // Every line was parsed; none of them is a command's.
  expect(client.lines.every(({ id, method }) => id !== undefined || method === "event")).toBe(true);
});

it("drops events that the client does not read, says how many, and loses no response", {
  tags: "slow",
}, async () => {
  await using fixture = cliWorkspace();
  await using client = rpc(fixture);
  const instance = await opened(client, { mode: "yolo", events: true });
  client.child.stdout.pause();
  const command = "head -c 16000000 /dev/zero | tr '\\0' x; touch done";
  const running = client.send("call", { instance, name: "shell.run", input: { command } });
  await expect.poll(() => existsSync(join(fixture.workspace, "done")), { timeout: 60_000 }).toBe(true);
  client.child.stdout.resume();
  expect((await client.response(running)).result.error).toBe(null);
  await client.ask("call", { instance, name: "text.echo", input: { text: "hello" } });
  expect(client.lines.some(({ params }) => Number(params?.dropped) > 0)).toBe(true);
});

it("ends with everything it started when the client leaves in the middle", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  const client = rpc(fixture);
  const instance = await opened(client, { mode: "yolo", events: true });
  const start = (command: string) =>
    client.send("call", { instance, name: "shell.run", input: { command, timeout_ms: 600_000 } });
  start("echo $$; exec sleep 600");
  start("trap '' TERM; echo $$; while :; do sleep 1; done");
  const outputs = () => client.events.filter(({ type }) => type === "tool-output");
  await client.seen(() => outputs().length >= 2);
  const pids = outputs().map(({ text }) => Number(text));
  // The client also leaves while an instance opens.
  client.send("open", { workspace: fixture.workspace });
  client.child.stdin.end();
  expect(await client.exited).toBe(0);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

it("counts instances that are still opening", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  await using client = rpc(fixture);
  const options = { sandbox: "none", stateDirectory: join(fixture.home, "one state") };
  const ids = Array.from({ length: 66 }, () => client.send("open", options));
  const answers = await Promise.all(ids.map((id) => client.response(id)));
  expect(answers.flatMap(({ error }) => error?.data?.code ?? [])).toEqual(["unavailable", "unavailable"]);
  const { instance } = answers[0]!.result;
  expect((await client.ask("close", { instance })).error).toBeUndefined();
  // One that cannot open leaves its place to others.
  expect((await client.ask("open", { workspace: "/nowhere" })).error?.data?.code).toBe("not-found");
  expect((await client.ask("open", options)).error).toBeUndefined();
  expect((await client.ask("open", options)).error?.data?.code).toBe("unavailable");
});

it("is limited by its command line", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  fixture.write("sub/a.txt", "a\n");
  mkdirSync(fixture.home);
  const words = ["-C", fixture.workspace, "--rule", "deny run git push **", "--read-only"];
  await using client = rpc(fixture, ...words);
  const outside = await client.ask("open", { workspace: fixture.home });
  expect([outside.error?.code, outside.error?.data?.code]).toEqual([-32000, "denied"]);
  expect((await client.ask("open", { target: "ssh:host" })).error?.data?.code).toBe("denied");
  const options = {
    workspace: join(fixture.workspace, "sub"),
    mode: "yolo",
    rules: ["allow run git push **"],
  };
  const instance = await opened(client, options);
  const { result } = await client.ask("definitions", { instance, which: "all" });
  const names = result.tools.map(({ name }: { name: string }) => name);
  expect([names.includes("file_read"), names.includes("file_write")]).toEqual([true, false]);

  await using writing = rpc(fixture, "--rule", "deny run git push **");
  const yolo = await opened(writing, { mode: "yolo", rules: ["allow run git push **"] });
  const push = { instance: yolo, name: "shell.run", input: { command: "git push origin" } };
  expect((await writing.ask("call", push)).result.error.code).toBe("denied");
});

describe("an agent", () => {
  it("runs, asks, is steered, answers by a schema and is aborted", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel(({ messages, number }) => {
      const last = messages.findLast(({ role }) => role === "user")?.text ?? "";
      if (number === 1) return { calls: [{ name: "apply_patch", input: patch }] };
      if (last.includes("JSON Schema")) return { text: '{"lines": 1}' };
      if (last.includes("Wait")) return { text: "Waiting…", fault: "hang-during" };
      return { text: `Done: ${last}` };
    });
    await using client = rpc(fixture);
    const options = { approve: true, events: true, mode: "safe", system: "You write files." };
    const { result } = await client.ask("agent.open", { sandbox: "none", ...options });
    const { instance } = result;
    expect(result).toMatchObject({ protocol: 1, turns: 0, model: fixture.server.model });
    client.answer = (method, params) => {
      client.send("agent.steer", { instance, text: "In capitals" });
      return allowing(method, params);
    };
    const first = await client.ask("agent.run", { instance, input: "Write it" });
    expect(first.result).toMatchObject({ outcome: "completed", text: "Done: In capitals", calls: 1 });
    expect([fixture.read("note.txt"), fixture.server.requests[0]?.system]).toEqual([
      "hello\n",
      "You write files.",
    ]);
    expect(client.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["approval", "tool-end", "steering", "text-delta", "turn-end"]),
    );

    const schema = { type: "object", properties: { lines: { type: "integer" } }, required: ["lines"] };
    const typed = await client.ask("agent.run", { instance, input: "Count", output: schema });
    expect(typed.result.output).toEqual({ lines: 1 });
    // The same instance also makes calls of the program.
    const undone = await client.ask("undo", { instance });
    expect([undone.result.isError, existsSync(join(fixture.workspace, "note.txt"))]).toEqual([false, false]);

    const begun = () =>
      client.events.filter(({ type, text }) => type === "text-delta" && String(text).startsWith("W")).length;
    const aborted = client.send("agent.run", { instance, input: "Wait" });
    await client.seen(() => begun() === 1);
    const busy = await client.ask("agent.run", { instance, input: "Too early" });
    expect(busy.error?.data?.code).toBe("unavailable");
    await client.ask("agent.abort", { instance });
    expect((await client.response(aborted)).result.outcome).toBe("aborted");
    const cancelled = client.send("agent.run", { instance, input: "Wait" });
    await client.seen(() => begun() === 2);
    client.notify("cancel", { id: cancelled });
    expect((await client.response(cancelled)).result.outcome).toBe("aborted");
    expect(fixture.server.breaches).toEqual([]);
  });

  const patch = "*** Begin Patch\n*** Add File: note.txt\n+hello\n*** End Patch";

  it("says what is missing when there is no model", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace({ OLLAMA_HOST: "127.0.0.1:1" });
    await using client = rpc(fixture);
    const { error } = await client.ask("agent.open", {});
    expect([error?.code, error?.message, error?.data?.code]).toEqual([
      -32000,
      "No model is configured",
      "unavailable",
    ]);
  });
});

describe("the protocol", () => {
  it("is described by docs/rpc.schema.json", () => {
    const file = readFileSync(join(repository, "docs/rpc.schema.json"), "utf8");
    // To update it: node src/cli/main.ts rpc --schema > docs/rpc.schema.json
    expect(JSON.parse(file)).toEqual(protocolSchema());
  });

  it("answers the example of docs/rpc.md as shown", { tags: "slow" }, async () => {
    const page = readFileSync(join(repository, "docs/rpc.md"), "utf8");
    const [, example = ""] = /```\n(→ [\s\S]*?)```/.exec(page) ?? [];
    const steps = example.trim().split("\n");
    expect(steps.length).toBeGreaterThan(8);
    await using fixture = cliWorkspace();
    fixture.write("src/greet.ts", 'export const greet = "Hello";\n');
    await using client = rpc(fixture);
    const line = z.fromJSONSchema(protocolSchema() as never);
    let read = 0;
    for (const step of steps) {
      const text = step.slice(2).replace("/home/ada/project", fixture.workspace);
      if (step.startsWith("→")) {
        const hash = Object(client.lines.at(-1)?.params?.request).hash;
        const sent = text.replace('"hash":"…"', `"hash":${JSON.stringify(hash)}`);
        expect(line.safeParse(JSON.parse(sent)).success).toBe(true);
        client.write(`${sent}\n`);
        continue;
      }
      const next = await client.seen((_) => client.lines.length > read).then(() => client.lines[read]!);
      read += 1;
      expect(line.safeParse(next).success).toBe(true);
      expect(next).toMatchObject(shownPart(JSON.parse(text)) as object);
    }
  });
});

/** Leaves out what the page shows as `…`. */
function shownPart(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const shown = Object.entries(value).filter(([, each]) => each !== "…");
  return Object.fromEntries(shown.map(([key, each]) => [key, shownPart(each)]));
}

/** Says by name what is not tested here. */
function missingPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    console.warn("\nSkipped the client in Python, because python3 is missing\n");
    return true;
  }
}

describe.skipIf(missingPython())("the client in Python", () => {
  const python = async (fixture: CliWorkspace, file: string) => {
    const words = ["-B", "-W", "error", join(repository, file), process.execPath, launcher, "rpc"];
    const { stdout } = await promisify(execFile)("python3", words, {
      cwd: fixture.workspace,
      env: { ...fixture.env, PYTHONPATH: join(repository, "examples/python"), TOOLCRIB_SANDBOX: "none" },
    });
    return stdout;
  };

  it("runs the example program", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    expect((await python(fixture, "examples/python/main.py")).split("\n")).toEqual([
      "edit.replace needs approval: it would write poem.txt",
      "Two roads diverged in a yellow wood",
      "journal.undo needs approval: it would write files of the workspace",
      "Two roads diverged in a blue wood",
      "",
    ]);
  });

  it("calls, cancels, answers and reports errors, also when the server is killed", {
    tags: "slow",
  }, async () => {
    await using fixture = await cliWithModel([{ text: '{"ok": true}' }]);
    expect(await python(fixture, "test/support/rpc-client-check.py")).toBe("ok\n");
  });
});
