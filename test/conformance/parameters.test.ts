import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { safeParse } from "zod/v4/core";
import { languageNames, usedGrammars } from "../../src/code/languages/languages.ts";
import { defineTools, type ToolDefinition } from "../../src/dialects/definition.ts";
import { findDialect } from "../../src/dialects/dialects.ts";
import { Toolset } from "../../src/dialects/toolset.ts";
import { readActions } from "../../src/wire/actions/read-actions.ts";

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

it("rustant has the tools of its source, with the parameters of its tables", async () => {
  const promised = sectionsOf("002").flatMap(({ title, text }) =>
    /^[a-z_]+$/.test(title) ? [{ name: title, parameters: [...rowsOf(text), ...addedTo(title)] }] : [],
  );
  expect(promised).toHaveLength(17);
  expect(await parametersOf("rustant")).toEqual(promised.map(sorted));
});

/** The contract asks for ignored entries in listings, which the source cannot give. */
function addedTo(tool: string): readonly Parameter[] {
  return tool === "file_list" ? [{ name: "include_ignored", type: "boolean", required: false }] : [];
}

it("rustant's tools have at most the risk their source states", async () => {
  const table = sectionsOf("002").find(({ title }) => title === "Tool Summary")?.text ?? "";
  const promised = [...table.matchAll(/^\| `(\w+)` \| ([\w-]+) \|/gm)].map(([, name, risk]) => [name, risk]);
  // The source calls network tools read-only; here they need separate approval.
  const words = {
    read: "Read-only",
    network: "Read-only",
    write: "Write",
    execute: "Execute",
    destructive: "",
  };
  const definitions = await definitionsOf("rustant");
  expect(definitions.map(({ name, risk }) => [name, words[risk]])).toEqual(promised);
});

it("agent-loop has the tools of its source, with their parameters", async () => {
  const promised = sectionsOf("003").flatMap(({ title, text }) => {
    const [, name] = /^`(\w+)`/.exec(title) ?? [];
    return name === undefined ? [] : [{ name, parameters: listedIn(text) }];
  });
  expect(promised).toHaveLength(8);
  expect(await parametersOf("agent-loop")).toEqual(promised.map(sorted));
});

it("surgical accepts every example of its source", async () => {
  const source = readFileSync(join(import.meta.dirname, "sources/004.txt"), "utf8");
  const blocks = [...source.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => readActions(text!));
  const calls = blocks.flatMap(({ actions }) => actions);
  const tools = (await findDialect("surgical")).tools;
  const fits = await Promise.all(
    calls.map(async (action) => {
      if (action.action !== "tool_call") return action;
      const tool = await tools.find(({ name }) => name === action.tool)?.load();
      return tool && safeParse(tool.input, action.args).success ? action.tool : action;
    }),
  );
  expect(fits).toEqual([
    ...["read_file", "glob", "grep", "rust_list_symbols", "write_file", "patch_file", "rust_replace_block"],
    ...["rust_insert_after_block", "rust_validate_file", "shell"],
  ]);
});

it("surgical runs rustfmt and cargo check as the project's formatter and checker", async () => {
  const toolset = new Toolset(await findDialect("surgical"));
  const block = { path: "a.rs", kind: "function", name: "run", run_rustfmt: true, run_cargo_check: true };
  const replaced = await toolset.find("rust_replace_block", { ...block, new_block: "fn run() {}" });
  const inserted = await toolset.find("rust_insert_after_block", { ...block, snippet: "fn run() {}" });
  const { run_rustfmt, run_cargo_check, ...rest } = block;
  const asked = { ...rest, run_formatter: run_rustfmt, run_check: run_cargo_check };
  expect([replaced.input, inserted.input]).toEqual([
    { ...asked, new_block: "fn run() {}" },
    { ...asked, snippet: "fn run() {}", position: "after" },
  ]);
});

it("surgical's shell is a persistent session of the agent", async () => {
  const { tool, input } = await new Toolset(await findDialect("surgical")).find("shell", { command: "ls" });
  expect([tool.canonical, input]).toEqual([
    "shell.run",
    { command: "ls", timeout_ms: 120_000, session: "agent" },
  ]);
});

it("rustant's shell_exec has a timeout of 60 seconds", async () => {
  const { tool, input } = await new Toolset(await findDialect("rustant")).find("shell_exec", {
    command: "ls",
  });
  expect([tool.canonical, input]).toEqual(["shell.run", { command: "ls", timeout_ms: 60_000 }]);
});

it("there are grammars for more than 50 languages", () => {
  expect([usedGrammars.length > 50, languageNames.length > 50]).toEqual([true, true]);
});

async function definitionsOf(dialect: string): Promise<readonly ToolDefinition[]> {
  const { tools } = await findDialect(dialect);
  const own = tools.filter(({ needs }) => needs === undefined);
  return defineTools(await Promise.all(own.map((tool) => tool.load())));
}

async function parametersOf(dialect: string) {
  return (await definitionsOf(dialect)).map(({ name, inputSchema }) => {
    const { properties = {}, required = [] } = inputSchema as {
      properties?: Record<string, { type?: string; enum?: unknown }>;
      required?: readonly string[];
    };
    const parameters = Object.entries(properties).map(([field, { type = "string" }]) => ({
      name: field,
      type,
      required: required.includes(field),
    }));
    return sorted({ name, parameters });
  });
}

function sorted(tool: { name: string; parameters: readonly Parameter[] }) {
  return { ...tool, parameters: tool.parameters.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
}

/** The items below headings, without the text around them. */
function sectionsOf(source: string): readonly { title: string; text: string }[] {
  const text = readFileSync(join(import.meta.dirname, `sources/${source}.txt`), "utf8");
  return text.split(/^#{2,3} /m).map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return { title, text: lines.join("\n") };
  });
}

/** `| `path` | string | Yes | … |` */
function rowsOf(text: string): readonly Parameter[] {
  return [...text.matchAll(/^\| `(\w+)` \| (\w+) \| (Yes|No) \|/gm)].map(([, name, type, required]) => ({
    name: name!,
    type: type!,
    required: required === "Yes",
  }));
}

/** `- `path` (`string`, required)` */
function listedIn(text: string): readonly Parameter[] {
  return [...text.matchAll(/^ {2}- `(\w+)` \(`(\w+)`, (required|optional)\)/gm)].map(
    ([, name, type, required]) => ({
      name: name!,
      type: type!,
      required: required === "required",
    }),
  );
}
