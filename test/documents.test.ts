import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageDescription from "../package.json" with { type: "json" };
import { approveCommand } from "../src/apps/cli/commands/approve.ts";
import { mcpCommand } from "../src/apps/cli/commands/mcp.ts";
import { dialectNames, findDialect } from "../src/dialects/dialects.ts";
import { Shelf } from "../src/dialects/shelf.ts";
import { formats } from "../src/documents/formats.ts";
import { mathCalculate } from "../src/tools/math/calculate.ts";
import { missingHere } from "./sandbox-room.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { toolRoom } from "./tool-room.ts";

const repository = join(import.meta.dirname, "..");
const documents = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md", { cwd: repository })];

interface Block {
  readonly document: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** From a comment above the block: the file it shows. */
  readonly file: string | undefined;
}

const blocks = documents.flatMap(readBlocks);
const named = (wanted: (block: Block) => boolean) =>
  blocks.filter(wanted).map((block) => [`${block.document}:${block.line}`, block] as const);

describe("every shown file is the real one", () => {
  it.each(named((block) => block.file !== undefined))("%s", (_name, block) => {
    expect(block.text).toBe(readFileSync(join(repository, block.file!), "utf8"));
  });
});

/** Programs run in a copy of the documented workspace, with the package name resolved to the source. */
describe("every program runs", () => {
  const programs = named(
    (block) => (block.language === "ts" || block.language === "js") && block.file === undefined,
  );
  it.each(programs)("%s", async (_name, block) => {
    await using folder = temporaryFolder();
    prepareWorkspace(folder.path, block);
    const script = join(folder.path, ".bin/program.ts");
    writeFileSync(
      script,
      block.text.replace(/from "(toolcrib[\w/-]*)"/g, (_, name) => `from ${sourceOf(name)}`),
    );
    symlinkSync(join(repository, "node_modules"), join(folder.path, ".bin/node_modules"));
    const run = spawnSync(process.execPath, [script], { ...shellOptions(folder.path), encoding: "utf8" });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    const promised = [...block.text.matchAll(/\/\/ prints: (.*)/g)].map((match) => match[1]);
    expect(run.stdout.trimEnd().split("\n")).toEqual(promised);
  });
});

/** `dist/types/adapters/openai.d.ts` is made of `src/adapters/openai.ts`. */
function sourceOf(name: string): string {
  const entry = packageDescription.exports[name.replace("toolcrib", ".") as "."];
  const source = entry.types.replace("./dist/types/", "src/").replace(".d.ts", ".ts");
  return JSON.stringify(join(repository, source));
}

/** The pages show commands as they run in bubblewrap. */
const noBubblewrap = await missingHere("bwrap");
const needsBubblewrap = ({ text }: Block) =>
  /policy explain|transaction\.check|shell\.run|process\.|doctor|git\.(?:stage|commit|branch)/.test(text);

/** In a console block a line with `$` is typed, the lines after it are the answer; a line `…` stands for any lines. */
describe("every console session is true", () => {
  for (const [name, block] of named(({ language }) => language === "console")) {
    it.skipIf(noBubblewrap !== undefined && needsBubblewrap(block))(name, async () => {
      await using folder = temporaryFolder();
      prepareWorkspace(folder.path, block);
      for (const { command, answer } of readSession(block.text)) {
        const run = spawnSync("bash", ["-c", `{ ${command}; } 2>&1`], {
          ...shellOptions(folder.path),
          encoding: "utf8",
        });
        expect(`$ ${command}\n${run.stdout}`.trimEnd()).toMatch(answerPattern(command, answer));
      }
    });
  }
});

it("every set-up command is one that CI runs, or a script of the package", () => {
  const scripts = Object.keys(JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).scripts);
  const allowed = ["npm ci && npm start", "npm ci && npm test", ...scripts.map((name) => `npm run ${name}`)];
  const commands = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"));
  expect(commands.filter((command) => !allowed.includes(command.replace(/ -- .*| *#.*/, "")))).toEqual([]);
  expect(readFileSync(join(repository, ".ci/run"), "utf8")).toContain("\nnpm ci && npm test\n");
});

it("every block has a language that is checked", () => {
  const unchecked = blocks.filter(
    ({ language }) => !["ts", "js", "console", "sh", "json", ""].includes(language),
  );
  expect(unchecked).toEqual([]);
  for (const { text, language } of blocks) if (language === "json") JSON.parse(text);
});

it("every relative link leads somewhere", () => {
  const broken = documents.flatMap((document) => {
    const text = readFileSync(join(repository, document), "utf8");
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1]!);
    const exists = (target: string) => globSync(join(repository, document, "..", target)).length > 0;
    return targets.filter((target) => !exists(target)).map((target) => `${document}: ${target}`);
  });
  expect(broken).toEqual([]);
});

it("every format that can be read is in the table, with its names", () => {
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

it("every dialect is in the table, with the tools that its models are told of", async () => {
  const page = readFileSync(join(repository, "docs/dialects.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \|.*\| `([^`]+)`[^`]*\|$/gm)];
  const wanted = dialectNames.map(async (name) => {
    const shelf = new Shelf(await findDialect(name), { has: new Set(["agents"]) });
    return [name, (await shelf.definitions("listed")).map((tool) => tool.name).join(" ")];
  });
  expect(rows.map(([, name, tools]) => [name, tools])).toEqual(await Promise.all(wanted));
});

it("every option of a command is on a page", () => {
  const pages = documents.map((document) => readFileSync(join(repository, document), "utf8")).join("\n");
  const missing = [...mcpCommand.options, ...approveCommand.options].filter(
    ({ name }) => !pages.includes(`--${name}`),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it("every name that the calculator knows is in its table", async () => {
  const page = readFileSync(join(repository, "docs/basic.md"), "utf8");
  const rows = page.split("\n").filter((line) => /^\| (?!operators|remainders|numbers)\w.*`/.test(line));
  const names = rows.flatMap((row) =>
    [...row.matchAll(/`([a-z0-9 ]+)`/g)].flatMap((span) => span[1]!.split(" ")),
  );
  await using room = toolRoom();
  const { hint } = await room.run(mathCalculate, { expression: "unknown" }).catch((error) => error);
  expect(hint).toMatch(/^Known: /);
  expect(names.toSorted()).toEqual(hint.match(/[a-z0-9]+(?=[ .])/g).toSorted());
});

function readBlocks(document: string): Block[] {
  const text = readFileSync(join(repository, document), "utf8");
  const fences = text.matchAll(/(?:<!-- file: (\S+) -->\n)?^```(\S*)\n([\s\S]*?)^```$/gm);
  return [...fences].map((match) => ({
    document,
    line: text.slice(0, match.index).split("\n").length,
    language: match[2]!,
    text: match[3]!,
    file: match[1],
  }));
}

/** The small project that the documents talk about, with the samples of documents that the block names. */
function prepareWorkspace(folder: string, { text }: Block): void {
  cpSync(join(import.meta.dirname, "fixtures/project"), folder, { recursive: true });
  const samples = join(import.meta.dirname, "samples/documents");
  for (const name of globSync("[a-z]*", { cwd: samples }))
    if (text.includes(` ${name}`)) cpSync(join(samples, name), join(folder, name));
  const tools = join(folder, ".bin");
  mkdirSync(tools);
  const main = join(repository, "src/apps/cli/main.ts");
  writeFileSync(join(tools, "toolcrib"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  // `npx toolcrib …` in the documents means the command of this checkout.
  writeFileSync(join(tools, "npx"), '#!/bin/sh\nexec "$@"\n');
  for (const name of ["toolcrib", "npx"]) chmodSync(join(tools, name), 0o755);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder });
  git("init", "-q", "-b", "main");
  // As most people have it in their own settings.
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  writeFileSync(join(folder, ".git/info/exclude"), ".bin/\n.toolcrib-home/\n");
}

function shellOptions(folder: string) {
  const env = {
    ...process.env,
    PATH: `${join(folder, ".bin")}:${process.env.PATH}`,
    TOOLCRIB_HOME: join(folder, ".toolcrib-home"),
    TOOLCRIB_SEARCH: undefined,
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
  };
  return { cwd: folder, env };
}

function readSession(text: string): { command: string; answer: string[] }[] {
  const steps: { command: string; answer: string[] }[] = [];
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), answer: [] });
    else steps.at(-1)?.answer.push(line);
  }
  return steps;
}

function answerPattern(command: string, answer: readonly string[]): RegExp {
  const lines = [`$ ${command}`, ...answer].map((line) =>
    line.trim() === "…" ? "[^]*" : line.split("…").map(escapePattern).join(".*"),
  );
  return new RegExp(`^${lines.join("\\n")}$`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
