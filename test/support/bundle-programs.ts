import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

/** node bundle-programs.ts FOLDER NAME=PROGRAM…: bundles the programs into the folder, as NAME.mjs. */
const [folder = "", ...named] = process.argv.slice(2);
const input = Object.fromEntries(named.map((pair) => pair.split("=") as [string, string]));
await build({
  input,
  platform: "node",
  external: /^(?![./]|zod\/)/,
  plugins: [
    {
      name: "source-locations",
      transform: { filter: { code: "import.meta." }, handler: (code, id) => withSourceLocation(code, id) },
    },
  ],
  output: {
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    codeSplitting: { groups: [{ debugName: "at-start", name: groupAtStart(Object.values(input)) }] },
  },
  logLevel: "silent",
});

/**
 * Bundles everything that all programs import at their start into one file, which loads faster than sixty. The programs
 * themselves stay separate: their late imports import that file, and would wait for their top-level awaits.
 */
function groupAtStart(programs: readonly string[]): (id: string, graph: ModuleGraph) => string | null {
  let imported: ReadonlySet<string> | undefined;
  return (id, graph) => {
    imported ??= programs
      .map((program) => importedBy(program, graph))
      .reduce((common, others) => new Set([...common].filter((id) => others.has(id))));
    return imported.has(id) ? "at-start" : null;
  };
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

function importedBy(program: string, graph: ModuleGraph): ReadonlySet<string> {
  const imported = new Set<string>();
  const pending = [program];
  for (let id = pending.pop(); id !== undefined; id = pending.pop())
    for (const other of graph.getModuleInfo(id)?.importedIds ?? []) {
      if (imported.has(other)) continue;
      imported.add(other);
      pending.push(other);
    }
  return imported;
}

function withSourceLocation(code: string, id: string): string {
  return code
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    .replaceAll("import.meta.dirname", JSON.stringify(join(id, "..")));
}
