import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageDescription from "../package.json" with { type: "json" };
import { defaultLimits } from "../src/agent/limits.ts";
import { completeChatLine } from "../src/cli/chat/chat-commands.ts";
import type { Command } from "../src/cli/command.ts";
import { approveCommand } from "../src/cli/commands/approve.ts";
import { chatCommand } from "../src/cli/commands/chat.ts";
import { fleetCommand } from "../src/cli/commands/fleet.ts";
import { mcpCommand } from "../src/cli/commands/mcp.ts";
import { modelsCommand } from "../src/cli/commands/models.ts";
import { runCommand } from "../src/cli/commands/run.ts";
import { sessionsCommand } from "../src/cli/commands/sessions.ts";
import { readConfig } from "../src/config/read-config.ts";
import { dialectNames, findDialect } from "../src/dialects/dialects.ts";
import { Toolset } from "../src/dialects/toolset.ts";
import { formats } from "../src/documents/formats.ts";
import { expandRuns } from "../src/fleet/spec/expand-runs.ts";
import { readSpec } from "../src/fleet/spec/read-spec.ts";
import { ModelError, modelErrorCodes } from "../src/models/model-error.ts";
import { providers } from "../src/models/providers.ts";
import { parseModelSettings } from "../src/models/settings.ts";
import { mathCalculate } from "../src/tools/math/calculate.ts";
import slowPackages from "./package.json" with { type: "json" };
import {
  type Block,
  blocks,
  documents,
  named,
  prepareWorkspace,
  repository,
  variablesIn,
} from "./support/documented-blocks.ts";
import { startDocumentedModel } from "./support/documented-model.ts";
import { ProgramHost } from "./support/program-host.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { toolFixture } from "./support/tool-fixture.ts";

describe("every shown file matches the real file", () => {
  it.each(named((block) => block.file !== undefined))("%s", (_name, block) => {
    expect(block.text).toBe(readFileSync(join(repository, block.file!), "utf8"));
  });
});

/** Programs run in a copy of the documented workspace, with the package name resolved to the built library. */
describe("every program runs", () => {
  let host: ProgramHost;
  beforeAll(() => {
    host = new ProgramHost();
  });
  // No program leaves anything open that would keep its process running.
  afterAll(async () => expect(await host.end()).toBe(0));

  const programs = named(
    (block) => (block.language === "ts" || block.language === "js") && block.file === undefined,
  );
  const isSlow = ([, { text }]: (typeof programs)[number]) => usesSlowPackage(text);
  it.each(programs.filter((program) => !isSlow(program)))("%s", (_name, block) => runProgram(block));
  it.each(programs.filter(isSlow))("%s", { tags: "slow" }, (_name, block) => runProgram(block));

  async function runProgram(block: Block) {
    await using folder = temporaryFolder();
    await prepareWorkspace(folder.path, block);
    const script = join(folder.path, ".bin/program.ts");
    writeFileSync(
      script,
      block.text.replace(/from "(toolcrib[\w/-]*)"/g, (_, name) => `from ${libraryFile(name)}`),
    );
    const packages = usesSlowPackage(block.text) ? "test/node_modules" : "node_modules";
    symlinkSync(join(repository, packages), join(folder.path, ".bin/node_modules"));
    await using model = await startDocumentedModel();
    await using temporary = temporaryFolder();
    const run = await host.run({
      script,
      cwd: folder.path,
      env: { ...variablesIn(folder.path, model.variables), TMPDIR: temporary.path },
    });
    expect([run.stderr, model.server.breaches]).toEqual(["", []]);
    const promised = [...block.text.matchAll(/\/\/ prints: (.*)/g)].map((match) => match[1]);
    expect(run.stdout.trimEnd().split("\n")).toEqual(promised);
  }
});

/** Whether a program imports a package that only `npm run test:all` installs. */
function usesSlowPackage(text: string): boolean {
  return Object.keys(slowPackages.dependencies).some((name) => text.includes(`from "${name}"`));
}

/** The file that users of the package import under this name, quoted. */
function libraryFile(name: string): string {
  const entry = packageDescription.exports[name.replace("toolcrib", ".") as "."];
  return JSON.stringify(join(repository, entry.default));
}

it("every setup command is one that CI runs, or a script of the package", () => {
  const scripts = Object.keys(JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).scripts);
  const allowed = ["npm ci && npm start", "npm ci && npm test", ...scripts.map((name) => `npm run ${name}`)];
  const commands = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"));
  expect(commands.filter((command) => !allowed.includes(command.replace(/ -- .*| *#.*/, "")))).toEqual([]);
  expect(readFileSync(join(repository, ".ci/run"), "utf8")).toMatch(/^npm ci && npm test\b/m);
});

it("every block has a language that is checked", () => {
  const unchecked = blocks.filter(
    ({ language }) =>
      !["ts", "js", "console", "sh", "json", "lua", "python", "toml", "yaml", ""].includes(language),
  );
  expect(unchecked).toEqual([]);
  for (const { text, language } of blocks) if (language === "json") JSON.parse(text);
});

it("every `config.toml` is accepted", async () => {
  const shown = blocks.filter(({ language }) => language === "toml");
  expect(shown.length).toBeGreaterThan(1);
  for (const { text, document } of shown) {
    await using folder = temporaryFolder();
    writeFileSync(join(folder.path, "config.toml"), text);
    const { warnings } = await readConfig({ workspace: undefined, configDirectory: folder.path });
    expect(warnings, document).toEqual([]);
  }
});

it("every fleet.yaml is accepted", async () => {
  // The tests of the GitHub action read the workflow.
  const shown = blocks.filter(({ language, text }) => language === "yaml" && !/^jobs:/m.test(text));
  expect(shown.length).toBeGreaterThan(1);
  for (const { text } of shown) {
    await using folder = temporaryFolder();
    cpSync(join(repository, "examples/fleet"), folder.path, { recursive: true });
    writeFileSync(join(folder.path, "fleet.yaml"), text);
    const { runs } = expandRuns(readSpec(join(folder.path, "fleet.yaml")), { defaultModel: "ollama/any" });
    expect(runs.length).toBeGreaterThan(1);
  }
});

it("every editor is configured to start `toolcrib acp`", () => {
  const shown = blocks.filter(({ document }) => document === "docs/editors.md");
  const ofLua = 'command = "toolcrib", args = { "acp" }, env = {}';
  const ofJson = '"command": "toolcrib", "args": ["acp"], "env": {}';
  expect(shown.map(({ language }) => language)).toEqual(["json", "json", "lua"]);
  for (const { text, language } of shown) expect(text).toContain(language === "lua" ? ofLua : ofJson);
});

it("every relative link has a target", { tags: "slow" }, () => {
  const broken = documents.flatMap((document) => {
    const text = readFileSync(join(repository, document), "utf8");
    const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)].map((match) => match[1]!);
    const exists = (target: string) => globSync(join(repository, document, "..", target)).length > 0;
    return targets.filter((target) => !exists(target)).map((target) => `${document}: ${target}`);
  });
  expect(broken).toEqual([]);
});

it("every readable format is in the table, with its names", () => {
  const page = readFileSync(join(repository, "docs/documents.md"), "utf8");
  const [, table = ""] = /^\| format \|.*\n\|.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const rows = table
    .trim()
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()));
  expect(rows.map(([, format, names = ""]) => [format, names.match(/\w+/g) ?? []])).toEqual(
    Object.values(formats).map(({ description, extensions }) => [description, [...extensions]]),
  );
});

it("every dialect is in the table, with the tools shown to its models", { tags: "slow" }, async () => {
  const page = readFileSync(join(repository, "docs/dialects.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \|.*\| `([^`]+)`[^`]*\|$/gm)];
  const wanted = dialectNames.map(async (name) => {
    const toolset = new Toolset(await findDialect(name), { has: new Set(["agents"]) });
    return [name, (await toolset.definitions("listed")).map((tool) => tool.name).join(" ")];
  });
  expect(rows.map(([, name, tools]) => [name, tools])).toEqual(await Promise.all(wanted));
});

it("every option of a command is documented", () => {
  const pagesOf: readonly (readonly [Command, string])[] = [
    [mcpCommand, "mcp.md"],
    [approveCommand, "mcp.md"],
    [runCommand, "agent.md"],
    [chatCommand, "agent.md"],
    [sessionsCommand, "agent.md"],
    [modelsCommand, "models.md"],
    [fleetCommand, "fleet.md"],
  ];
  const missing = pagesOf.flatMap(([command, document]) => {
    const page = readFileSync(join(repository, "docs", document), "utf8");
    const names = command.options.map(({ name }) => `--${name}`).filter((name) => !page.includes(name));
    return names.map((name) => `${command.name} ${name}`);
  });
  expect(missing).toEqual([]);
});

it("every chat command is in its table", () => {
  const page = readFileSync(join(repository, "docs/agent.md"), "utf8");
  const [, table = ""] = /^\| command \| \|\n\|.*\n((?:\| `\/.*\n)+)/m.exec(page) ?? [];
  const names = new Set([...table.matchAll(/^\| `(\/\w+)/gm)].map((match) => match[1]));
  expect([...names].toSorted()).toEqual(
    completeChatLine("/")[0]
      .map(({ value }) => value)
      .toSorted(),
  );
});

it("every event of a session is in the table, and every limit", () => {
  const page = readFileSync(join(repository, "docs/agent-library.md"), "utf8");
  const rowsOf = (heading: string) => {
    const [, table = ""] =
      new RegExp(`^\\| ${heading} \\|.*\\n\\|.*\\n((?:\\|.*\\n)+)`, "m").exec(page) ?? [];
    return table.trim().split("\n");
  };
  const source = readFileSync(join(repository, "src/agent/event.ts"), "utf8");
  const [, union = ""] = /^export type AgentEventBody =\n([\s\S]*?;)\n\n/m.exec(source) ?? [];
  const types = [...union.matchAll(/readonly type: "([\w-]+)"/g)].map((match) => match[1]);
  expect(rowsOf("event").map((row) => /^\| `([\w-]+)`/.exec(row)?.[1])).toEqual(types);
  expect(rowsOf("limit").map((row) => /^\| `(\w+)` \| (\w+) \|/.exec(row)?.slice(1))).toEqual(
    Object.entries(defaultLimits).map(([name, limit]) => [
      name,
      Number.isFinite(limit) ? String(limit) : "none",
    ]),
  );
});

it("no exported name is the name of a global", () => {
  const page = readFileSync(join(repository, "docs/library.md"), "utf8");
  const [declarations] = globSync("node_modules/@typescript/*/lib/lib.dom.d.ts", { cwd: repository });
  const globals = readFileSync(join(repository, declarations!), "utf8").matchAll(
    /^(?:declare )?(?:var|interface|type|function) (\w+)/gm,
  );
  const taken = new Set([...globals].map(([, name]) => name));
  const exported = [...page.matchAll(/^- `(\w+)`: /gm)].map(([, name]) => name);
  expect(taken.has("EventSource")).toBe(true);
  expect(exported.filter((name) => taken.has(name))).toEqual([]);
});

it("every provider is in the table, with its variables and its default model", () => {
  const page = readFileSync(join(repository, "docs/models.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.*_KEY.*) \| `(\w+)` \| (?:`(.*)` )?\|$/gm)];
  expect(
    rows.map(([, name, keys = "", address, model]) => [name, keys.match(/[A-Z_]{8,}/g), address, model]),
  ).toEqual(
    Object.entries(providers).map(([name, { keys, token, address, model }]) => [
      name,
      [...keys, ...(token ? [token] : [])],
      address,
      model,
    ]),
  );
});

it("every shown models.json is valid", () => {
  const shown = blocks.filter(({ language, text }) => language === "json" && text.includes('"providers"'));
  const read = shown.map(({ text }) => parseModelSettings(text, "models.json"));
  expect(read).toEqual(shown.map(({ text }) => JSON.parse(text)));
  expect(read).toHaveLength(1);
});

it("every kind of error is in the table, with how it is handled", () => {
  const page = readFileSync(join(repository, "docs/models.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| .* \| (yes|no|once)\b.*\|$/gm)];
  expect(rows.map(([, kind, again]) => [kind, again])).toEqual(
    modelErrorCodes.map((kind) => {
      const isPassing = new ModelError(kind, "").isPassing;
      return [kind, isPassing ? "yes" : kind === "overflow" ? "once" : "no"];
    }),
  );
});

it("every name that the calculator supports is in its table", async () => {
  const page = readFileSync(join(repository, "docs/basic.md"), "utf8");
  const rows = page.split("\n").filter((line) => /^\| (?!operators|remainders|numbers)\w.*`/.test(line));
  const names = rows.flatMap((row) =>
    [...row.matchAll(/`([a-z0-9 ]+)`/g)].flatMap((span) => span[1]!.split(" ")),
  );
  await using opened = toolFixture();
  const { hint } = await opened.run(mathCalculate, { expression: "unknown" }).catch((error) => error);
  expect(hint).toMatch(/^Known: /);
  expect(names.toSorted()).toEqual(hint.match(/[a-z0-9]+(?=[ .])/g).toSorted());
});

it.each(["library", "dialects", "adapters", "agent-library", "undo", "backends"])(
  "docs/%s.md names no source file, which the package does not contain",
  (name) => {
    const page = readFileSync(join(repository, `docs/${name}.md`), "utf8");
    expect(page.match(/\]\(\.\.\/(?:src|test|scripts)\b[^)]*\)|CONTRIBUTING/g) ?? []).toEqual([]);
  },
);
