/**
 * Builds the page of the console: one script, one style sheet, one document and an icon. All are files of their own, because
 * the server forbids inline code. `node scripts/build-page.ts` replaces only `dist/console`.
 */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "rolldown";

const root = join(import.meta.dirname, "..");
const source = join(root, "src/console/page");

export function pageScript(folder: string): BuildOptions {
  return {
    cwd: root,
    input: { page: join(source, "main.tsx") },
    platform: "browser",
    tsconfig: join(source, "tsconfig.json"),
    logLevel: "warn",
    output: { dir: folder, format: "esm", entryFileNames: "[name].js", minify: true },
  };
}

/** Builds the whole page into a folder. */
export async function buildPage(folder: string): Promise<void> {
  const { build } = await import("rolldown");
  await build(pageScript(folder));
  writePageFiles(folder);
}

export function writePageFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ["index.html", "icon.svg"]) cpSync(join(source, name), join(folder, name));
  const styles = globSync("styles/*.css", { cwd: source }).toSorted();
  writeFileSync(
    join(folder, "page.css"),
    styles.map((name) => shorten(readFileSync(join(source, name), "utf8"))).join(""),
  );
}

/** Removes comments and indentation. */
function shorten(css: string): string {
  return css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\n\s*/g, "\n");
}

if (import.meta.main) await buildPage(join(root, "dist/console"));
