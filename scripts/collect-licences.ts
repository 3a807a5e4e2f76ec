import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const packages = join(import.meta.dirname, "../node_modules");

/**
 * Collects the licences of all packages whose code is in a build, by the files of the modules that it really contains, and
 * of packages that those have bundled themselves. Throws for a package whose licence is missing here.
 */
export function collectLicences(files: readonly string[]): string {
  const names = new Set(files.flatMap(packagesIn));
  const byText = Map.groupBy([...names].sort(), licenceOf);
  return [
    "Toolcrib is built from its own code and that of these packages. Their licences follow; those of the grammars and of\n" +
      "PDFium are in the NOTICE.md beside them. Some shapes of keys come from gitleaks:\n\n" +
      readFileSync(join(import.meta.dirname, "../src/lib/secrets/gitleaks/LICENSE"), "utf8"),
    ...[...byText].map(([text, owners]) => `${owners.join("\n")}\n\n${text}\n`),
  ].join(`\n${"-".repeat(100)}\n\n`);
}

function packagesIn(file: string): readonly string[] {
  const name = packageOf(file);
  if (name === undefined) return [];
  const builtIn = [...readFileSync(file, "utf8").matchAll(/^\/\/ *#region (.*node_modules.*)$/gm)];
  return [name, ...builtIn.flatMap(([, path = ""]) => packageOf(path) ?? [])];
}

function packageOf(path: string): string | undefined {
  return /.*\/node_modules\/(@[^/]+\/[^/]+|[^/@.][^/]*)\//.exec(path)?.[1];
}

/** Packages without a licence text, and a package of the same owner and licence that has it. */
const siblings = new Map([
  ["@ai-sdk/provider-utils", "@ai-sdk/provider"],
  ["@workflow/serde", "@ai-sdk/provider"],
]);

/** Packages without a licence text and without such a sibling: their authors, under the MIT License. */
const authorsOfMit = new Map([["@earendil-works/pi-tui", "Mario Zechner"]]);

function licenceOf(name: string): string {
  const author = authorsOfMit.get(name);
  if (author !== undefined) return `Copyright (c) ${author}\n\n${mitLicence()}`;
  const folder = join(packages, siblings.get(name) ?? name);
  const [file] = globSync("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*", { cwd: folder });
  if (file === undefined) throw new Error(`${name} is built in, and its licence is not in ${folder}`);
  return readFileSync(join(folder, file), "utf8").trim();
}

/** Returns the text of the MIT License, from a package that has it. */
function mitLicence(): string {
  const text = readFileSync(join(packages, "zod/LICENSE"), "utf8").trim();
  return text.slice(text.indexOf("Permission is hereby granted"));
}
