import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "../src");

/** Who may import whom, as in docs/architecture.md; change the table and the picture together. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  text: ["contract"],
  environment: ["contract", "text"],
  guardian: ["contract", "text"],
  tools: ["contract", "text"],
  processes: ["contract", "text"],
  journal: ["contract", "text", "environment"],
  runtime: ["contract", "text", "guardian", "journal"],
  dialects: ["contract", "text", "tools"],
  door: ["contract", "text", "environment", "guardian", "journal", "runtime", "dialects"],
  "toolcrib.ts": [
    "contract",
    "text",
    "environment",
    "processes",
    "guardian",
    "journal",
    "runtime",
    "dialects",
    "door",
  ],
  apps: ["contract", "text", "environment", "guardian", "dialects", "door", "toolcrib.ts"],
};

/** Modules that only some folders may use. */
const ownedModules: Record<string, readonly string[]> = {
  "node:fs": ["environment", "apps"],
  "node:fs/promises": ["environment", "apps"],
  "node:child_process": ["environment"],
  "node:sqlite": ["journal"],
  "@vscode/ripgrep": ["environment"],
  unbash: ["guardian"],
};

interface Import {
  readonly file: string;
  readonly folder: string;
  readonly specifier: string;
}

it("keeps every folder to the imports the design allows it", () => {
  const forbidden = imports().filter(({ file, folder, specifier }) => {
    if (!specifier.startsWith(".")) return !(ownedModules[specifier]?.includes(folder) ?? true);
    if (specifier.endsWith("/package.json")) return folder !== "apps";
    const target = folderOf(join(file, "..", specifier));
    return target !== folder && !mayImport[folder]?.includes(target);
  });
  expect(forbidden).toEqual([]);
});

it("knows every folder of the source", () => {
  expect([...new Set(imports().map(({ folder }) => folder))].sort()).toEqual(Object.keys(mayImport).sort());
});

function imports(): Import[] {
  const files = globSync("**/*.ts", { cwd: source }).filter((file) => !isTest(file));
  return files.flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8");
    const specifiers = [...text.matchAll(/(?:from|import\(|^import|getBuiltinModule\()\s*"([^"]+)"/gm)];
    return specifiers.map((match) => ({ file, folder: folderOf(file), specifier: match[1]! }));
  });
}

function folderOf(path: string): string {
  return path.split("/")[0]!;
}

function isTest(file: string): boolean {
  return /\.test\.ts$|\/(conformance|trials)\//.test(file);
}
