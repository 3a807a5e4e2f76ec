import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";

const cache = join(import.meta.dirname, "../../node_modules/.cache/toolcrib-test-programs");

/**
 * Bundles a program of `test/support` that a test starts many times: it starts three times as fast as its source. Every
 * test process has its own bundle, removed when the process exits. Modules keep the `import.meta` of their source files,
 * so they find the programs beside them.
 */
export async function bundledProgram(program: URL): Promise<string> {
  const name = basename(fileURLToPath(program), ".ts");
  const folder = join(cache, `${process.pid}-${name}`);
  mkdirSync(folder, { recursive: true });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await build({
    input: { [name]: fileURLToPath(program) },
    platform: "node",
    external: (id, importer) => importer !== undefined && !/^(?:[./]|zod\/)/.test(id),
    plugins: [{ name: "source-locations", transform: (code, id) => withSourceLocation(code, id) }],
    output: {
      dir: folder,
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
      codeSplitting: { groups: [{ debugName: "at-start", name: groupAtStart(fileURLToPath(program)) }] },
    },
    logLevel: "silent",
  });
  return join(folder, `${name}.mjs`);
}

/**
 * Puts all that a program imports at its start into one file, which loads faster than sixty. The program itself
 * stays apart: what it loads later imports that file, and would wait for its top-level awaits.
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
