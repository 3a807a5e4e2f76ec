import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

/** node bundle-program.ts PROGRAM FOLDER: bundles the program into the folder. */
const [program = "", folder = ""] = process.argv.slice(2);
await build({
  input: { [basename(program, ".ts")]: program },
  platform: "node",
  external: (id, importer) => importer !== undefined && !/^(?:[./]|zod\/)/.test(id),
  plugins: [{ name: "source-locations", transform: (code, id) => withSourceLocation(code, id) }],
  output: {
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    codeSplitting: { groups: [{ debugName: "at-start", name: groupAtStart(program) }] },
  },
  logLevel: "silent",
});

/**
 * Bundles everything that a program imports at its start into one file, which loads faster than sixty. The program
 * itself stays separate: its late imports import that file, and would wait for its top-level awaits.
 */
function groupAtStart(program: string): (id: string, graph: ModuleGraph) => string | null {
  let imported: ReadonlySet<string> | undefined;
  return (id, graph) => {
    imported ??= importedBy(program, graph);
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

function withSourceLocation(code: string, id: string): string | null {
  if (!code.includes("import.meta.")) return null;
  return code
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    .replaceAll("import.meta.dirname", JSON.stringify(join(id, "..")));
}
