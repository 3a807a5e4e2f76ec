import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { CallEvent } from "../contract/call.ts";
import { openToolcrib, type ToolcribOptions } from "../toolcrib/index.ts";
import { openScripts } from "./open-scripts.ts";

async function fixture(options: ToolcribOptions = {}) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "a workspace");
  const state = { stateDirectory: join(folder.path, "state"), configDirectory: join(folder.path, "config") };
  mkdirSync(workspace);
  for (const name of ["one", "two", "three"]) writeFileSync(join(workspace, `${name}.txt`), `${name}\n`);
  const crib = await openToolcrib({ workspace, ...state, sandbox: "none", ...options });
  return {
    crib,
    run: (script: string, given?: object) => crib.call("tools.script", { script }, given),
    exists: (name: string) => existsSync(join(workspace, name)),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The instance of the tests that need nothing special, because starting a worker takes long. */
let shared: Awaited<ReturnType<typeof fixture>>;
beforeAll(async () => {
  shared = await fixture();
});
afterAll(() => shared[Symbol.asyncDispose]());

const lines = (...text: string[]) => text.join("\n");

describe("tools.script", () => {
  it("shows only what the program prints and returns", { tags: "slow" }, async () => {
    const one = shared;
    const { content, data } = await one.run(
      lines(
        'const names: string[] = ["one", "two"];',
        "const files = await Promise.all(names.map((name) => tools.file.read({ path: name + '.txt' })));",
        "print(files.length, { names });",
        "return files.map(({ text }) => text.length);",
      ),
    );
    expect(content).toBe('2 {"names":["one","two"]}\n[7,7]');
    expect(data).toEqual({ value: [7, 7], printed: '2 {"names":["one","two"]}\n', calls: 2, failedCalls: 0 });
    const shown = await one.run('return await tools.file.read({ path: "one.txt" })');
    expect(shown.content).toBe((await one.crib.call("file.read", { path: "one.txt" })).content);
    expect((await one.run("")).error?.code).toBe("invalid-input");
    expect((await one.run(";")).content).toBe("The script returned nothing.");
  });

  it("gives results whose fields are plain values, whether they were read before or not", async () => {
    const read = 'await tools.file.read({ path: "one.txt" })';
    const { data } = await shared.run(
      lines(
        `const [a, b, c, d] = [${[read, read, read, read].join(", ")}];`,
        'a.text = "own"; a.data = [1];',
        "const { files: [{ text }] } = b.data;",
        "return [Object.keys(a), a.text + a.data, b.data === b.data, text, { ...c }.text, JSON.stringify(d) === JSON.stringify(b), String(c) === c.text];",
      ),
    );
    expect(data).toMatchObject({
      value: [["data", "text"], "own1", true, "one\n", "1 | one", true, true],
    });
  });

  it("passes on long texts, and data in any script of the world", { tags: "slow" }, async () => {
    const text = `${"長い行\n".repeat(20_000)}🦊\ud800`;
    const calls = {
      areNested: false,
      tools: async () => [],
      call: async () => ({ ok: true, data: { text }, text, failed: "Exit code 1" }) as const,
    };
    const scripts = openScripts();
    onTestFinished(() => scripts.close());
    const { value } = await scripts.run(
      lines(
        "const results = await Promise.all(Array.from({ length: 20 }, () => tools.any({})));",
        "return results.map(({ text, data, failed }) => [text.length, data.text.length, text.slice(-3, -1), failed]);",
      ),
      calls,
      { signal: new AbortController().signal },
    );
    const length = text.length;
    expect(value).toEqual(Array(20).fill([length, length, "🦊", "Exit code 1"]));
  });

  it("names the line of a fault, and the code and hint of a failed call", async () => {
    const one = shared;
    const faults = [
      "let a = 1;\nlet b = ;",
      "let a = 1;\n\nmissing()",
      '\nawait tools.file.read({ path: "no" })',
    ];
    const ends = [];
    for (const fault of faults) ends.push((await one.run(`print("begun");\n${fault}`)).error);
    expect(ends).toMatchObject([
      { code: "invalid-input", message: "Line 3: Expression expected" },
      {
        code: "invalid-input",
        message: "Line 4: ReferenceError: 'missing' is not defined",
        output: "begun\n",
      },
      { code: "not-found", message: "Line 3: no does not exist", output: "begun\n" },
    ]);
    const caught = await one.run(
      'try { await tools.file.read({ path: "no" }) } catch (error) { return [error.name, error.code, error.hint !== ""] }',
    );
    expect(caught.content).toBe('["ToolError","not-found",true]\n[1 of 1 call failed.]');
  });

  it("declares the tools on offer, and no others", { tags: "slow" }, async () => {
    await using one = await fixture({ onlyTools: ["file.read", "tools.script"] });
    expect((await one.run("return await help()")).content).toBe("file.read");
    const { content } = await one.run('return await help("file.read")');
    expect(content).toContain("tools.file.read(input?: {\n  path?: string;");
    expect(content).toContain("Promise<{ data: { files: ({ kind: ");
    expect(content).toContain('{ kind: "text"; path: string; text: string;');
    expect((await one.run('await help("file.reed")')).error).toMatchObject({
      message: 'Line 1: Unknown tool "file.reed"',
      hint: 'Did you mean "file.read"?',
    });
    const refused = await one.run('await tools.file.write({ path: "new", content: "" })', {
      onlyOffered: true,
    });
    expect([refused.error?.code, one.exists("new")]).toEqual(["not-found", false]);
  });

  it("uses the names and arguments of the caller's dialect", { tags: "slow" }, async () => {
    const one = shared;
    await using other = await one.crib.addCaller({ dialect: "claude-code" });
    const script = 'return (await tools.Read({ file_path: "one.txt" })).text.includes("one")';
    expect((await other.call("tools.script", { script })).content).toBe("true");
    await using readOnly = await fixture({ readOnly: true });
    const write = await readOnly.run('await tools.file.write({ path: "new", content: "" })');
    expect([write.error?.code, readOnly.exists("new")]).toEqual(["denied", false]);
  });

  it("cannot call help without end", async () => {
    const script =
      "const asked = Array.from({ length: 101 }, () => help('time').then(() => 'told', ({ code }) => code)); const ends = await Promise.all(asked); return ends.lastIndexOf('told') + 1 + ' ' + ends.at(-1)";
    expect((await shared.run(script)).content).toBe("100 too-large");
  });

  it("asks about inner calls as usual, and throws what the user denies", { tags: "slow" }, async () => {
    const asked: string[] = [];
    await using one = await fixture({
      mode: "safe",
      approve: ({ tool, input }) => {
        asked.push(tool);
        return { allow: (input as { path: string }).path === "new.txt" };
      },
    });
    const write = (path: string) => `await tools.file.write({ path: "${path}", content: "x" });`;
    const { error } = await one.run(lines(write("new.txt"), write("other.txt")));
    expect([asked, error?.code, one.exists("new.txt"), one.exists("other.txt")]).toEqual([
      ["file.write", "file.write"],
      "denied",
      true,
      false,
    ]);
    expect(error?.message).toMatch(/^Line 2: /);
  });

  it("ends with its calls when it is cancelled", { tags: "slow" }, async () => {
    await using one = await fixture({ mode: "yolo" });
    const stop = new AbortController();
    one.crib.events.on((event) => {
      if (event.type === "tool-start" && event.parent !== undefined) stop.abort();
    });
    const { error } = await one.run('await tools.shell.run({ command: "sleep 100" })', {
      signal: stop.signal,
    });
    expect(error?.code).toBe("cancelled");
    expect(one.crib.log().map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["shell.run", "cancelled"],
      ["tools.script", "cancelled"],
    ]);
    expect((await one.run("return 1")).content).toBe("1");
  });

  it("bounds the names, faults and messages that a program makes", { tags: "slow" }, async () => {
    const messages: string[] = [];
    const onEvent = (event: CallEvent) => {
      if (event.type === "tool-progress") messages.push(event.message);
    };
    const codeOf = (call: string) =>
      `await ${call}.catch(({ code, message }) => [code, message.length < 10_000])`;
    const { data } = await shared.run(
      lines(
        "const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => ['k' + at, 1]));",
        "return [",
        `${codeOf('tools["a.".repeat(1_000_000)]()')},`,
        `${codeOf('help("aB".repeat(1_000_000))')},`,
        `${codeOf('tools.file.read({ path: "one.txt", ["aB".repeat(1_000_000)]: 1 })')},`,
        `${codeOf("tools.file.read(keys)")},`,
        `${codeOf('tools["\x1b[2J"]()')},`,
        "];",
      ),
      { onEvent },
    );
    const invalid = ["invalid-input", true];
    const unknown = ["not-found", true];
    expect(data).toMatchObject({ value: [unknown, unknown, invalid, invalid, unknown] });
    expect(messages.join("")).toContain("<U+001B>[2J");
    expect(messages.join("")).not.toContain("\x1b");
    const { error } = await shared.run('throw new Error("x".repeat(5_000_000))');
    expect(error?.message).toMatch(/^Line 1: Error: x{10000,20000}\n\[… \d+ characters cut …\]$/);
  });

  it("refuses to run another script, also through tools.call", async () => {
    const one = shared;
    for (const call of [
      'tools.tools.script({ script: "1" })',
      'tools.tools.call({ name: "tools.script", arguments: { script: "1" } })',
    ])
      expect((await one.run(`await ${call}`)).error?.message).toBe(
        "Line 1: A script cannot run another script",
      );
  });
});

describe("the calls of a script", () => {
  it("are recorded and announced with the script as their parent", async () => {
    const one = shared;
    const events: CallEvent[] = [];
    one.crib.events.on((event) => events.push(event));
    const { callId } = await one.run(
      'await tools.file.read({ path: "one.txt" }); await tools.file.write({ path: "new", content: "" })',
    );
    expect(one.crib.log({ limit: 3 }).map(({ tool, parent, outcome }) => [tool, parent, outcome])).toEqual([
      ["file.write", callId, "ok"],
      ["file.read", callId, "ok"],
      ["tools.script", null, "ok"],
    ]);
    const inner = events.filter(({ parent }) => parent === callId && parent !== undefined);
    expect(inner.map(({ type, canonical }) => [type, canonical])).toEqual([
      ["tool-start", "file.read"],
      ["tool-end", "file.read"],
      ["tool-start", "file.write"],
      ["tool-end", "file.write"],
    ]);
    expect(events.filter(({ type }) => type === "tool-progress")).toMatchObject([
      { callId, message: "file.read one.txt" },
      { callId, message: "file.write new" },
    ]);
  });

  it("are undone together with the script, and as one by the latest undo", async () => {
    const one = shared;
    const write = (...names: string[]) =>
      one.run(names.map((name) => `await tools.file.write({ path: "${name}", content: "" });`).join("\n"));
    const exist = () => ["a", "b", "c", "d"].map(one.exists);
    const first = await write("a", "b");
    await write("c", "d");
    await one.crib.undo();
    expect(exist()).toEqual([true, true, false, false]);
    await one.crib.redo();
    expect(exist()).toEqual([true, true, true, true]);
    const { error } = await one.crib.undo({ call: first.callId });
    expect([error, ...exist()]).toEqual([null, false, false, true, true]);
    const [latest] = one.crib.log().filter(({ tool }) => tool === "file.write");
    await one.crib.undo({ call: latest!.callId });
    expect(exist()).toEqual([false, false, true, false]);
  });
});
