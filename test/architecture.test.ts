import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "../src");

/** The allowed imports, as in docs/architecture.md; change the table and the diagram together. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  lib: ["contract"],
  edit: ["contract", "lib"],
  system: ["contract", "lib"],
  "engine/sandbox": ["contract", "lib", "system", "sandbox"],
  sandbox: ["contract", "lib", "system", "engine/sandbox"],
  "engine/environment": ["contract", "lib", "system"],
  environment: ["contract", "lib", "system", "sandbox", "engine/sandbox", "engine/environment"],
  "engine/policy": ["contract", "lib"],
  policy: ["contract", "lib", "engine/policy"],
  files: ["contract", "lib"],
  target: ["contract", "lib", "system", "sandbox", "environment", "policy", "files", "tools"],
  git: ["contract", "lib"],
  web: ["contract", "lib"],
  processes: ["contract", "lib"],
  workers: ["contract", "lib", "system"],
  code: ["contract", "lib", "edit", "system", "environment", "policy", "files", "workers"],
  documents: ["contract", "lib", "system", "workers"],
  script: ["contract", "lib", "system", "workers"],
  journal: ["contract", "lib", "edit", "system", "environment", "engine/journal"],
  "engine/journal": ["contract", "lib", "system", "journal", "engine/environment"],
  tools: ["contract", "lib", "engine/sandbox", "edit", "files", "git", "web", "code", "documents"],
  "engine/approvals": ["contract", "lib", "edit", "system", "policy", "engine/policy", "journal"],
  pipeline: [
    "contract",
    "lib",
    "policy",
    "engine/policy",
    "journal",
    "engine/journal",
    "engine/approvals",
    "engine/pipeline",
  ],
  "engine/pipeline": ["contract", "lib", "system", "policy", "pipeline"],
  dialects: ["contract", "lib", "tools"],
  wire: ["contract", "lib", "dialects"],
  toolcrib: [
    "contract",
    "lib",
    "system",
    "sandbox",
    "engine/sandbox",
    "environment",
    "policy",
    "engine/policy",
    "files",
    "processes",
    "code",
    "documents",
    "script",
    "engine/journal",
    "journal",
    "engine/approvals",
    "pipeline",
    "tools",
    "dialects",
    "wire",
  ],
  mcp: [
    "contract",
    "lib",
    "system",
    "environment",
    "engine/approvals",
    "dialects",
    "wire",
    "toolcrib",
    "config",
  ],
  adapters: ["contract", "wire", "toolcrib", "mcp"],
  compat: ["contract", "lib", "system", "tools", "dialects", "toolcrib", "mcp"],
  models: ["contract", "lib", "dialects", "wire"],
  config: ["contract", "lib", "system", "environment", "policy", "dialects", "toolcrib", "models"],
  agent: ["contract", "lib", "system", "dialects", "toolcrib", "adapters", "models", "config"],
  console: [
    "contract",
    "lib",
    "system",
    "policy",
    "journal",
    "engine/approvals",
    "pipeline",
    "dialects",
    "toolcrib",
    "models",
    "config",
    "agent",
    "fleet",
  ],
  fleet: [
    "contract",
    "lib",
    "system",
    "environment",
    "policy",
    "git",
    "toolcrib",
    "models",
    "config",
    "agent",
  ],
  cli: [
    "contract",
    "lib",
    "edit",
    "system",
    "sandbox",
    "engine/sandbox",
    "environment",
    "policy",
    "engine/policy",
    "engine/approvals",
    "dialects",
    "toolcrib",
    "mcp",
    "models",
    "config",
    "agent",
    "fleet",
    "console",
  ],
};

/** Modules that only some folders may use. */
const ownedModules: Record<string, readonly string[]> = {
  "node:fs": ["system", "engine/sandbox", "sandbox", "environment", "target", "fleet", "cli"],
  "node:fs/promises": ["system", "sandbox", "environment", "fleet", "cli"],
  "node:child_process": ["system"],
  "node:http": ["engine/sandbox", "environment", "mcp", "console", "fleet"],
  "node:https": ["environment", "console"],
  "node:net": ["system", "engine/sandbox", "sandbox", "environment", "target"],
  "node:tls": ["environment"],
  "node:dns/promises": ["system"],
  "node:sqlite": ["system", "engine/approvals", "journal", "code", "fleet"],
  "@agentclientprotocol/sdk": ["cli"],
  bullmq: ["fleet"],
  pg: ["fleet"],
  yaml: ["fleet"],
  aws4fetch: ["fleet"],
  hono: ["console"],
  "@hono/node-server": ["console"],
  "@vscode/ripgrep": ["system"],
  "@modelcontextprotocol/server": ["mcp"],
  "@modelcontextprotocol/server/stdio": ["mcp"],
  "@modelcontextprotocol/client": ["mcp"],
  "@modelcontextprotocol/node": ["mcp"],
  "@earendil-works/pi-tui": ["cli"],
  "@ai-sdk/openai": ["models"],
  "@ai-sdk/anthropic": ["models"],
  "@ai-sdk/google": ["models"],
  "@ai-sdk/openai-compatible": ["models"],
  "@ai-sdk/provider": ["models"],
  ollama: ["models"],
  "@opentelemetry/api": ["agent", "fleet"],
  unbash: ["engine/policy"],
  "web-tree-sitter": ["code"],
};

interface Import {
  readonly file: string;
  readonly folder: string;
  readonly specifier: string;
}

it("allows every folder only the imports of the design", () => {
  const forbidden = imports().filter(({ file, folder, specifier }) => {
    if (!specifier.startsWith(".")) return !(ownedModules[specifier]?.includes(folder) ?? true);
    if (specifier.endsWith("/package.json")) return folder !== "system";
    const target = folderOf(join(file, "..", specifier));
    return target !== folder && !mayImport[folder]?.includes(target);
  });
  expect(forbidden).toEqual([]);
});

it("keeps the page of the console apart: it imports messages as types, helpers for text and diffs, and its packages", () => {
  const allowed =
    /^(?:\.\/|\.\.\/read-diff\.ts$|\.\.\/\.\.\/lib\/text\/|preact(?:\/hooks)?$|@preact\/signals$|@tanstack\/virtual-core$)/;
  const code = globSync("console/page/**/*.{ts,tsx}", { cwd: source }).map((file) => [
    file,
    readFileSync(join(source, file), "utf8"),
  ]);
  const forbidden = code.flatMap(([file, text = ""]) =>
    [...text.matchAll(/^(import|export) (type )?[^"';]*?from "(.+)";$/gm)]
      .filter(
        ([, , type, specifier = ""]) => !(type && specifier === "../api.ts") && !allowed.test(specifier),
      )
      .map(([line]) => [file, line]),
  );
  expect(forbidden).toEqual([]);
  // Texts of a workspace are never interpreted.
  const html =
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/;
  expect(code.filter(([, text = ""]) => html.test(text)).map(([file]) => file)).toEqual([]);
});

it("has no runtime import cycle, also not inside a folder", () => {
  const targets = new Map(sourceFiles().map((file) => [file, runtimeTargets(file)]));
  expect(cyclesIn(targets)).toEqual([]);
});

it("finds cycles of any length", () => {
  const targets = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["a", "d"]],
    ["d", []],
  ]);
  expect(cyclesIn(targets)).toEqual([["a", "b", "c"]]);
});

it("matches the table in the documentation", () => {
  const page = readFileSync(join(source, "../docs/architecture.md"), "utf8");
  const rows = page.matchAll(/^\| (`.*`) \| (contract|nothing)(.*) \|$/gm);
  const shown = [...rows].flatMap(([, folders = "", first = "", rest = ""]) =>
    [...folders.matchAll(/`(.+?)`/g)].map(([, folder]) => [folder, `${first}${rest}`.split(", ").sort()]),
  );
  const held = Object.entries(mayImport).map(([folder, others]) => [
    folder,
    others.length === 0 ? ["nothing"] : [...others].sort(),
  ]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(held));
});

it("covers every folder of the source", () => {
  expect([...new Set(imports().map(({ folder }) => folder))].sort()).toEqual(Object.keys(mayImport).sort());
});

it("uses no syntax newer than the oldest supported Node", () => {
  const shipped = globSync("**/*.ts", { cwd: source }).filter(
    (path) => !/\.test\.ts$|(?:^|\/)conformance\//.test(path),
  );
  const newer = shipped.filter((path) =>
    /^\s*(?:await )?using \w+ =/m.test(readFileSync(join(source, path), "utf8")),
  );
  expect(newer).toEqual([]);
});

it("tags the tests that differ for root", () => {
  const tests = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: join(source, "..") });
  const untagged = tests.filter((path) => {
    if (path.startsWith("test/library/")) return false;
    const code = readFileSync(join(source, "..", path), "utf8");
    return /process\.getuid|as-ordinary-user\.ts/.test(code) && !code.includes("root");
  });
  expect(untagged).toEqual([]);
});

/** Otherwise a PATH into the workspace would decide which program runs, outside every sandbox. */
it("starts programs through one module, by their path only, with chosen variables", () => {
  const direct = imports().filter(({ specifier }) => specifier === "node:child_process");
  const modules = new Set(direct.map(({ file }) => file).filter((file) => !file.includes("/conformance/")));
  expect([...modules]).toEqual(["system/start-program.ts"]);
  const starting = imports().filter(({ specifier }) => specifier.endsWith("/start-program.ts"));
  expect(starting.filter(({ file }) => startsIn(file).length === 0)).toEqual([]);
  const starts = starting.flatMap(({ file }) => startsIn(file));
  expect(starts.filter(({ call }) => isByName(call) || inheritsVariables(call))).toEqual([]);
});

it("detects starts by name, and starts that inherit variables", () => {
  const wrong = [
    'startProgram("git", args, { env })',
    'startProgram(file, ["{ env: {} }"])',
    "startProgram(file, args, { env: process.env })",
    "startProgram(file, args, { env: { ...process.env, A: one } })",
  ];
  const right = ['startProgram("/bin/sh", args, { cwd, env })', "startProgram(file, { env: launch.env })"];
  expect([...wrong, ...right].filter((call) => isByName(call) || inheritsVariables(call))).toEqual(wrong);
});

/** Finds the calls with which a file starts programs, each from its name to its last bracket. */
function startsIn(file: string): { readonly file: string; readonly call: string }[] {
  const text = readFileSync(join(source, file), "utf8");
  const [, names = ""] = /^import \{([^}]*)\} from "[^"]*\/start-program\.ts"/m.exec(text) ?? [];
  const functions = names.split(",").map((name) => name.trim());
  return functions
    .filter((name) => /^\w+$/.test(name))
    .flatMap((name) => {
      const start = new RegExp(`(?<![\\w.])${name}\\(`, "g");
      return [...text.matchAll(start)].map(({ index }) => ({ file, call: callAt(text.slice(index)) }));
    });
}

/** Brackets in strings would have to come in pairs. */
function callAt(text: string): string {
  const open = text.indexOf("(");
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    depth += { "(": 1, ")": -1 }[text[at]!] ?? 0;
    if (depth === 0) return text.slice(0, at + 1);
  }
  return text;
}

function isByName(call: string): boolean {
  return /^[^(]*\(\s*["'`](?!\/)/.test(call);
}

function inheritsVariables(call: string): boolean {
  const code = call.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, "");
  return !/[{,]\s*env\b/.test(code) || /process\s*\.\s*env/.test(code);
}

/** The files that a file imports when it is loaded: no types, no `import()`. */
function runtimeTargets(file: string): readonly string[] {
  const text = readFileSync(join(source, file), "utf8");
  const statements = text.matchAll(
    /^(?:import|export) (?!type )(?:(\{[^}]*\}|[^"';{]*) from )?"(\.[^"]+)"/gm,
  );
  return [...statements]
    .filter(([, names = ""]) => !/^\{(?:\s*type [^,}]+,?)+\s*\}$/.test(names))
    .map(([, , specifier = ""]) => join(file, "..", specifier));
}

/** Groups of files that import each other, in the order in which they were reached. */
function cyclesIn(targets: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1) cycles.push(group);
  };
  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

function sourceFiles(): readonly string[] {
  return globSync("**/*.ts", { cwd: source }).filter((file) => !isTest(file));
}

function imports(): Import[] {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8");
    const specifiers = [...text.matchAll(/(?:from|import\(|^import|getBuiltinModule\()\s*"([^"]+)"/gm)];
    return specifiers.map((match) => ({ file, folder: folderOf(file), specifier: match[1]! }));
  });
}

/** The first folder of a path; in `engine`, whose parts are layers of their own, the first two. */
function folderOf(path: string): string {
  const [first = "", second] = path.split("/");
  return first === "engine" ? `${first}/${second}` : first;
}

function isTest(file: string): boolean {
  return /\.test\.ts$|\/(conformance)\//.test(file);
}
