import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { randomLetters } from "../../../test/support/policy/random-letters.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool, Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";

const random = randomLetters();
const token = `ghp_${random("[A-Za-z0-9]", 36)}`;
const key = `AKIA${random("[A-Z2-7]", 16)}`;

function say(run: (context: ToolContext) => ToolOutput): Tool<object, unknown> {
  return {
    name: "say",
    description: "Says something.",
    risk: "read",
    input: z.strictObject({}),
    limits: { maxChars: 200, keep: "head" },
    accesses: () => [],
    run: async (_, context) => run(context),
  };
}

async function openFixture(
  tools: readonly AnyTool[] = [],
  options: ToolcribOptions = {},
): Promise<AsyncDisposable & { crib: Toolcrib; at(path: string): string }> {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const crib = await openToolcrib({
    workspace,
    tools,
    ...options,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  return {
    crib,
    at: (path) => join(workspace, path),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("tool output", () => {
  it("is shown without secrets, with a note", async () => {
    const text = `${token}\n${key}\nrest`;
    await using fixture = await openFixture([say(() => ({ text, data: { text } }))]);
    const { content, data } = await fixture.crib.call("say", {});
    const redacted = "[redacted: GitHub token]\n[redacted: AWS key]\nrest";
    expect(content).toBe(
      `${redacted}\n[2 values that look like secrets were left out: GitHub token, AWS key.]`,
    );
    expect(data).toEqual({ text: redacted });
  });

  it("that shows lines of the data has no secrets either", async () => {
    await using fixture = await openFixture();
    const armor = (what: string) => `-----${what} RSA PRIVATE KEY-----`;
    writeFileSync(fixture.at("token"), `one\n${token}\n`);
    writeFileSync(fixture.at("key"), `${armor("BEGIN")}\n${"1234567890".repeat(4)}\n${armor("END")}\n`);
    const read = async (path: string) => (await fixture.crib.call("file.read", { path })).content;
    expect(await read("token")).toMatch(/^1 \| one\n2 \| \[redacted: GitHub token\]\n/);
    expect(await read("key")).toContain("\n2 | [redacted: private key]\n");
  });

  it("contains no secrets in later pipeline stages", async () => {
    const text = `The key is ${key}`;
    const later = { text: `left ${token}`, data: { left: token } };
    const tools = [
      say(() => ({ text: "nothing", data: null, continuation: text })),
      {
        ...say(() => ({ text: "done", data: null, afterwards: async () => later })),
        name: "do",
        risk: "write",
      },
      {
        ...say(() => ({
          text: "done",
          data: null,
          afterwards: () => Promise.reject(new ToolError("stale", text)),
        })),
        name: "fail",
        risk: "write",
      },
    ] satisfies AnyTool[];
    await using fixture = await openFixture(tools);
    const call = async (name: string) => {
      const { content, data } = await fixture.crib.call(name, {});
      return { content, data };
    };
    expect([await call("say"), await call("do"), await call("fail")]).toEqual([
      { content: "nothing\n[The key is [redacted: AWS key]]", data: null },
      { content: "done\nleft [redacted: GitHub token]", data: { left: "[redacted: GitHub token]" } },
      { content: "The key is [redacted: AWS key]", data: null },
    ]);
  });

  it("is returned as the same object when it has no secrets", async () => {
    const data = { text: "nothing" };
    await using fixture = await openFixture([say(() => ({ text: "nothing", data, continuation: "more" }))]);
    const result = await fixture.crib.call("say", {});
    expect(result.content).toBe("nothing\n[more]");
    expect(result.data).toBe(data);
  });

  it("is stored without secrets when it is too long, and keeps the note", async () => {
    const text = `${"line\n".repeat(100)}${token}`;
    await using fixture = await openFixture([say(() => ({ text, data: null, continuation: "Read on." }))]);
    const { content, output } = await fixture.crib.call("say", {});
    expect(content.split("\n").at(-1)).toBe(
      "[Read on. 1 value that looks like a secret was left out: GitHub token.]",
    );
    const kept = await fixture.crib.call("file.read", { path: output! });
    expect(kept.data).toMatchObject({
      files: [{ text: `${"line\n".repeat(100)}[redacted: GitHub token]` }],
    });
  });

  it("contains no secrets in errors, progress or streamed output", async () => {
    const tool = say((context) => {
      context.progress(`with ${token}`);
      for (const piece of ["a ", token.slice(0, 10), `${token.slice(10)}\nb `, key])
        context.output("stdout", piece);
      throw new ToolError("unavailable", `No answer for ${token}`, { hint: `Try ${key}` });
    });
    await using fixture = await openFixture([tool]);
    const emitted: string[] = [];
    fixture.crib.events.on((event) => {
      if (event.type === "tool-progress") emitted.push(event.message);
      if (event.type === "tool-output") emitted.push(event.text);
    });
    const { error } = await fixture.crib.call("say", {});
    expect(error).toEqual({
      code: "unavailable",
      message: "No answer for [redacted: GitHub token]",
      hint: "Try [redacted: AWS key]",
    });
    expect(emitted).toEqual([
      "with [redacted: GitHub token]",
      "a [redacted: GitHub token]\n",
      "b [redacted: AWS key]",
    ]);
  });

  it("contains no secrets when a tool fails unexpectedly", async () => {
    const tool = say(() => {
      throw new TypeError(`Bad ${token}`);
    });
    await using fixture = await openFixture([tool]);
    const { error } = await fixture.crib.call("say", {});
    expect(error?.message).toBe("Bad [redacted: GitHub token]");
  });
});

describe("a redaction mark", () => {
  const file = `name: app\nkey: ${token}\nend: 1\n`;
  const mark = "[redacted: GitHub token]";
  const refused = (consequence: string) => ({
    code: "invalid-input",
    message: `${mark} stands for a secret that was left out of the output: ${consequence}`,
    hint: "Edit only the lines around it, or ask the user to change the value.",
  });
  const wouldReplace = refused("this would overwrite the secret with the mark");

  const calls: readonly (readonly [string, object])[] = [
    ["file.write", { path: "a.yml", content: `name: app\nkey: ${mark}\nend: 2\n` }],
    ["file.write", { path: "new.yml", content: `key: ${mark}\n` }],
    ["edit.replace", { path: "a.yml", find: `key: ${mark}\nend: 1`, replace: "end: 2" }],
    ["edit.replace", { path: "a.yml", find: "name: app", replace: `name: ${mark}` }],
    [
      "edit.patch",
      {
        patch: `*** Begin Patch\n*** Update File: a.yml\n@@\n key: ${mark}\n-end: 1\n+end: 2\n*** End Patch`,
      },
    ],
    ["edit.diff", { diff: `--- a/a.yml\n+++ b/a.yml\n@@ -2,2 +2,2 @@\n key: ${mark}\n-end: 1\n+end: 2\n` }],
  ];
  it.each(calls)("is never written: %s %j", async (tool, input) => {
    await using fixture = await openFixture();
    writeFileSync(fixture.at("a.yml"), file);
    const { error } = await fixture.crib.call(tool, input);
    expect(error).toEqual(wouldReplace);
    expect(readFileSync(fixture.at("a.yml"), "utf8")).toBe(file);
  });

  it("is explained when a call only searches for it", async () => {
    await using fixture = await openFixture();
    writeFileSync(fixture.at("a.yml"), file);
    const edit = { path: "a.yml", find: `key: ${mark}`, replace: "x" };
    const { error } = await fixture.crib.call("edit.preview", edit);
    expect(error).toEqual(refused("the file does not contain this text"));
  });

  it("may be edited when the file itself contains it", async () => {
    await using fixture = await openFixture();
    writeFileSync(fixture.at("doc.md"), `We show ${mark} instead.\n`);
    const { error } = await fixture.crib.call("edit.replace", {
      path: "doc.md",
      find: `We show ${mark}`,
      replace: `One is shown ${mark}`,
    });
    expect(error).toBe(null);
    expect(readFileSync(fixture.at("doc.md"), "utf8")).toBe(`One is shown ${mark} instead.\n`);
  });
});

it("hides secrets from the approval prompt and from the user's answer", async () => {
  const previews: (string | undefined)[] = [];
  const approve: ToolcribOptions["approve"] = ({ preview }) => {
    previews.push(preview);
    return { allow: false, message: `Use ${token} instead` };
  };
  await using fixture = await openFixture([], { approve, rules: ["ask write **"] });
  writeFileSync(fixture.at("notes.txt"), `key ${key}\nold\n`);
  const input = { path: "notes.txt", find: "old", replace: "new" };
  const { error } = await fixture.crib.call("edit.replace", input);
  const message = "The user refused this call and said: Use [redacted: GitHub token] instead";
  expect([previews, error?.message, fixture.crib.log().map((record) => record.message)]).toEqual([
    ["--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n key [redacted: AWS key]\n-old\n+new\n"],
    message,
    [message],
  ]);
});

it("hides secrets in the notes of an edit", async () => {
  await using fixture = await openFixture();
  writeFileSync(fixture.at("a.yml"), `key: ${token}\nend: 1\n`);
  await fixture.crib.call("file.read", { path: "a.yml" });
  const other = `ghp_${random("[A-Za-z0-9]", 36)}`;
  writeFileSync(fixture.at("a.yml"), `key: ${other}\nend: 1\n`);
  const result = await fixture.crib.call("edit.replace", {
    path: "a.yml",
    find: "end: 1",
    replace: "end: 2",
  });
  expect(result.isError).toBe(false);
  expect(JSON.stringify(result)).not.toMatch(/ghp_/);
  expect(readFileSync(fixture.at("a.yml"), "utf8")).toBe(`key: ${other}\nend: 2\n`);
});
