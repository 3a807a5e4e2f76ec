import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { emptySource } from "../../test/support/tool-source.ts";
import type { AnyTool } from "../contract/tool.ts";
import { openToolcrib } from "../toolcrib/index.ts";
import type { Dialect } from "./dialect.ts";
import { renameTool } from "./rename.ts";
import { Toolset } from "./toolset.ts";

it("finds tools by what they do, and lists them from then on", async () => {
  await using fixture = await temporaryToolcrib();
  const { crib } = fixture;
  let changes = 0;
  crib.onToolsChange(() => (changes += 1));
  const before = await namesOf(crib);
  const found = await crib.call("tools_find", { query: "who changed each line", limit: 1 });
  const after = await namesOf(crib);
  const [blame] = (await crib.definitions({ which: "all" })).filter(({ name }) => name === "git_blame");
  expect([
    before.includes("git_blame"),
    found.content,
    changes,
    after.filter((name) => !before.includes(name)),
  ]).toEqual([
    false,
    `git_blame: ${blame!.description}\nArguments: ${JSON.stringify(blame!.inputSchema)}`,
    1,
    ["git_blame"],
  ]);
});

it("ranks tools named like the query before tools that mention it", async () => {
  const toolset = new Toolset(manyTools());
  const names = async (query: string) =>
    (await toolset.search(query, { limit: 3 })).tools.map(({ name }) => name);
  expect([
    (await names("undo the last edits"))[0],
    (await names("commit my changes"))[0],
    (await names("read a PDF"))[0],
    await names("xyzzy"),
  ]).toEqual(["journal_undo", "git_commit", "document_read", []]);
});

it("calls any tool by its name, and records it as that tool", async () => {
  await using fixture = await temporaryToolcrib();
  const result = await fixture.crib.call("tools_call", { name: "text_echo", arguments: { text: "hello" } });
  const [record] = fixture.crib.log({ limit: 1 });
  expect([result.content, record?.tool, record?.input]).toEqual(["hello", "text.echo", { text: "hello" }]);
});

it("bypasses nothing: the policy checks the named tool", async () => {
  await using fixture = await temporaryToolcrib({ rules: ["deny use file.delete"] });
  fixture.write("a.txt", "a\n");
  const result = await fixture.crib.call("tools_call", { name: "file.delete", arguments: { path: "a.txt" } });
  expect([result.error?.code, fixture.read("a.txt")]).toEqual(["denied", "a\n"]);
});

it("refuses to call itself, an unknown tool, and a call without a name", async () => {
  await using fixture = await temporaryToolcrib();
  const call = async (input: unknown) => (await fixture.crib.call("tools_call", input)).content;
  expect([
    (await call({ name: "text_echo", input: { text: "x" } })).split("\n")[0],
    await call({ name: "tools_call", arguments: { name: "tools_call" } }),
    await call({ name: "tools.call", arguments: { name: "file_read" } }),
    await call({ name: "nonsense" }),
    await call({ arguments: {} }),
  ]).toEqual([
    "tools_call: unknown key `input`",
    "tools_call calls other tools and cannot be called by itself\nGive the name of a tool from tools_find.",
    "tools.call calls other tools and cannot be called by itself\nGive the name of a tool from tools_find.",
    expect.stringContaining('Unknown tool "nonsense"'),
    expect.stringContaining("name"),
  ]);
});

it("offers no search tool when all tools are listed", async () => {
  await using folder = temporaryFolder();
  const crib = await openToolcrib({ ...placesIn(folder.path), onlyTools: ["file.*", "tools.*"] });
  const names = await namesOf(crib);
  await crib.close();
  expect(names.filter((name) => name.startsWith("tools"))).toEqual(["tools_script"]);
});

it("finds the tools of other servers when there are many, in every dialect", async () => {
  const source = emptySource();
  const plain: Dialect = { name: "plain", tools: [renameTool("file.read", { name: "read" })] };
  const toolset = new Toolset(plain, { sources: [source] });
  source.put(Array.from({ length: 20 }, (_, index) => foreign(`few_${index}`)));
  const few = (await toolset.definitions()).length;
  source.put(Array.from({ length: 30 }, (_, index) => foreign(`weather_${index}`)));
  const listed = async () => (await toolset.definitions()).map(({ name }) => name);
  const before = await listed();
  const { tools, hidden } = await toolset.search("weather 7", { limit: 1 });
  expect([few, before, tools.map(({ name }) => name), hidden, await listed()]).toEqual([
    21,
    ["read", "tools_find", "tools_call"],
    ["weather_7"],
    30,
    ["read", "weather_7", "tools_find", "tools_call"],
  ]);
});

function manyTools(): Dialect {
  const names = ["journal.undo", "git.commit", "git.log", "document.read", "edit.preview"] as const;
  return {
    name: "many",
    listed: [],
    tools: names.map((name) => renameTool(name, { name: name.replace(".", "_") })),
  };
}

function foreign(name: string): AnyTool {
  return {
    name,
    description: "Foreign.",
    risk: "network",
    input: z.strictObject({}),
    limits: { maxChars: 10, keep: "head" },
    accesses: () => [],
    run: async () => ({ data: null, text: "" }),
  };
}

function placesIn(folder: string) {
  return {
    workspace: folder,
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
  };
}

async function namesOf(crib: { definitions(): Promise<readonly { name: string }[]> }): Promise<string[]> {
  return (await crib.definitions()).map(({ name }) => name);
}
