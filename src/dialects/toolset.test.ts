import { expect, it } from "vitest";
import * as z from "zod/mini";
import { emptySource } from "../../test/support/tool-source.ts";
import type { AnyTool } from "../contract/tool.ts";
import type { Dialect } from "./dialect.ts";
import { renameTool } from "./rename.ts";
import { reshapeTool } from "./reshape.ts";
import { Toolset } from "./toolset.ts";

const dialect: Dialect = {
  name: "small",
  ignoresCase: true,
  listed: ["Read", "Edit"],
  tools: [
    renameTool("file.read", {
      name: "Read",
      fields: { path: "file" },
      require: ["path"],
      only: ["path", "limit"],
    }),
    reshapeTool(["file.write", "edit.replace"], {
      name: "Edit",
      description: "Change a file.",
      input: (zod) =>
        zod.strictObject({ file: zod.string(), old: zod.optional(zod.string()), text: zod.string() }),
      resolve: ({ file, old, text }) =>
        old === undefined
          ? ["file.write", { path: file, content: text }]
          : ["edit.replace", { path: file, find: old, replace: text }],
    }),
    renameTool("file.list", { name: "List" }),
  ],
};

it("resolves dialect calls to canonical calls", async () => {
  const toolset = new Toolset(dialect);
  const calls = [
    await toolset.find("read", { file: "a.txt", limit: 3 }),
    await toolset.find("EDIT", { file: "a.txt", text: "new" }),
    await toolset.find("Edit", { file: "a.txt", old: "b", text: "new" }),
  ];
  expect(calls.map(({ tool, input }) => [tool.name, tool.canonical, input])).toEqual([
    ["read", "file.read", { path: "a.txt", limit: 3 }],
    ["EDIT", "file.write", { path: "a.txt", content: "new" }],
    ["Edit", "edit.replace", { path: "a.txt", find: "b", replace: "new" }],
  ]);
});

it("leaves invalid arguments to the pipeline, with the dialect's schema", async () => {
  const { tool, input } = await new Toolset(dialect).find("Read", { path: "a.txt" });
  expect([tool.canonical, input, z.safeParse(tool.input as z.ZodMiniType, input).success]).toEqual([
    "file.read",
    { path: "a.txt" },
    false,
  ]);
});

it("lists the tools of the dialect, then also found ones, and notifies listeners", async () => {
  const toolset = new Toolset(dialect);
  let changes = 0;
  const stop = toolset.onChange(() => (changes += 1));
  const before = await namesOf(toolset);
  toolset.list(["List"]);
  toolset.list(["List"]);
  stop();
  expect([before, await namesOf(toolset), await namesOf(toolset, "all"), changes]).toEqual([
    ["Read", "Edit"],
    ["Read", "Edit", "List"],
    ["Read", "Edit", "List"],
    1,
  ]);
});

it("offers only allowed tools, and only read-only ones in read-only mode", async () => {
  const narrow = new Toolset(dialect, { allowed: ["file.*"] });
  const reading = new Toolset(dialect, { readOnly: true });
  const refused = await reading.find("Edit", {});
  expect([await namesOf(narrow), await namesOf(reading, "all"), thrownBy(refused.tool)]).toEqual([
    ["Read", "List"],
    ["Read", "List"],
    "denied",
  ]);
});

it("suggests only tools that may be called", async () => {
  const { tool } = await new Toolset(dialect, { readOnly: true }).find("nonsense", {});
  expect(() => tool.accesses({})).toThrow(
    expect.objectContaining({ message: 'Unknown tool "nonsense"', hint: "Known tools: Read, List." }),
  );
});

it("lets the last custom tool of a name replace all others, and a source replace none", async () => {
  const source = emptySource();
  const toolset = new Toolset(dialect, {
    own: [own("Read", "first"), own("Read", "second")],
    sources: [source],
  });
  source.put([own("Read", "foreign"), own("weather", "foreign")]);
  const definitions = await toolset.definitions();
  expect(
    definitions.map(({ name, description }) => [name, description]).filter(([, words]) => words!.length < 10),
  ).toEqual([
    ["Read", "second"],
    ["weather", "foreign"],
  ]);
});

it("ignores case in names when the dialect does", async () => {
  const source = emptySource();
  const toolset = new Toolset(dialect, { own: [own("LIST", "own")], sources: [source] });
  source.put([{ ...own("read", "foreign"), canonical: "server__read" }]);
  const called = await Promise.all(["read", "server__read", "list"].map((name) => toolset.find(name, {})));
  expect((await toolset.find("Server__read", {})).tool.canonical).toBeUndefined();
  expect([await namesOf(toolset, "all"), called.map(({ tool }) => tool.canonical)]).toEqual([
    ["Read", "Edit", "LIST", "server__read"],
    ["file.read", "server__read", "LIST"],
  ]);
});

it("names dialect tools to callers of custom tools, and canonical ones to canonical callers", async () => {
  const toolset = new Toolset(dialect, { own: [own("weather", "own")] });
  const calls = await Promise.all(["weather", "file.list"].map((name) => toolset.find(name, {})));
  const rewritten = calls.map(({ tool }) => (tool.wording ?? String)("See file.read."));
  expect(rewritten).toEqual(["See Read.", "See file.read."]);
});

function own(name: string, summary: string): AnyTool {
  return {
    name,
    description: summary,
    risk: "read",
    input: z.strictObject({}),
    limits: { maxChars: 10, keep: "head" },
    accesses: () => [],
    run: async () => ({ data: null, text: summary }),
  };
}

async function namesOf(toolset: Toolset, which: "listed" | "all" = "listed"): Promise<readonly string[]> {
  return (await toolset.definitions(which)).map(({ name }) => name);
}

function thrownBy(tool: AnyTool): string | undefined {
  try {
    tool.accesses({});
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

it("calls a tool by an alias, and lists it only when it is selected by that name", async () => {
  const aliased: Dialect = { ...dialect, aliases: [renameTool("file.list", { name: "ls" })] };
  const { tool, input } = await new Toolset(aliased).find("ls", { path: "src" });
  expect([tool.name, tool.canonical, input]).toEqual(["ls", "file.list", { path: "src" }]);
  const shelves = [{}, { allowed: ["all"] }, { allowed: ["ls", "Read"] }].map(
    (options) => new Toolset(aliased, options),
  );
  expect(await Promise.all(shelves.map((toolset) => namesOf(toolset)))).toEqual([
    ["Read", "Edit"],
    ["Read", "Edit", "List"],
    ["ls", "Read"],
  ]);
});

it("does not accept an alias of a tool that is not allowed", async () => {
  const aliased: Dialect = { ...dialect, aliases: [renameTool("file.list", { name: "ls" })] };
  const { tool } = await new Toolset(aliased, { allowed: ["Read"] }).find("ls", {});
  expect(() => tool.accesses({})).toThrow('Unknown tool "ls"');
});

it("gives no tool of another server a name of the dialect, its aliases or the search tools", async () => {
  const others = emptySource();
  const aliases = [renameTool("file.list", { name: "ls" })];
  const toolset = new Toolset({ ...dialect, aliases }, { sources: [others] });
  others.put(["READ", "ls", "tools_find", "search", "Search"].map((name) => foreignTool(name)));
  const names = (await toolset.definitions("all")).map(({ name }) => name);
  expect(names.slice(dialect.tools.length)).toEqual([
    "other__READ",
    "other__ls",
    "other__tools_find",
    "search",
    "other__Search",
  ]);
});

it("does not list tools of other servers with too long descriptions", async () => {
  const others = emptySource();
  const toolset = new Toolset(dialect, { sources: [others] });
  const input = z.looseObject({});
  input._zod.toJSONSchema = () => ({ type: "object", description: "x".repeat(40_000) });
  others.put([foreignTool("one", input)]);
  const few = (await toolset.definitions()).map(({ name }) => name);
  others.put([foreignTool("one", input), foreignTool("two", input)]);
  const many = (await toolset.definitions()).map(({ name }) => name);
  expect([few, many]).toEqual([
    ["Read", "Edit", "one"],
    ["Read", "Edit", "tools_find", "tools_call"],
  ]);
});

it("says that tools_call only reads where all tools do", async () => {
  const finding: Dialect = {
    ...dialect,
    tools: [...dialect.tools, renameTool("tools.call", { name: "call" })],
    listed: [],
  };
  const effects = await Promise.all(
    [true, false].map(async (readOnly) => {
      const defined = await new Toolset(finding, { readOnly }).definitions();
      const { readOnly: reads, destructive } = defined.find(({ name }) => name === "call")!.effects;
      return [reads, destructive];
    }),
  );
  expect(effects).toEqual([
    [true, false],
    [false, true],
  ]);
});

it("lists the tools of a small server next to one with many", async () => {
  const others = emptySource();
  const toolset = new Toolset(dialect, { sources: [others] });
  const input = z.looseObject({});
  input._zod.toJSONSchema = () => ({ type: "object", description: "x".repeat(35_000) });
  others.put([
    ...Array.from({ length: 21 }, (_, index) => foreignTool(`big${index}`, undefined, "big")),
    ...Array.from({ length: 20 }, (_, index) => foreignTool(`small${index}`, undefined, "small")),
    foreignTool("long", input, "long"),
    foreignTool("longer", input, "longer"),
  ]);
  const names = (await toolset.definitions()).map(({ name }) => name);
  expect(names).toEqual([
    "Read",
    "Edit",
    ...Array.from({ length: 20 }, (_, index) => `small${index}`),
    "long",
    "tools_find",
    "tools_call",
  ]);
});

function foreignTool(name: string, input: AnyTool["input"] = z.unknown(), server = "other"): AnyTool {
  return {
    name,
    canonical: `${server}__${name}`,
    server,
    description: "",
    risk: "read",
    input,
    limits: { maxChars: 10, keep: "head" },
    accesses: () => [],
    run: async () => ({ data: null, text: "" }),
  };
}
