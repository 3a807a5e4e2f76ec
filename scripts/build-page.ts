/**
 * Builds the page of the console: one script, one style sheet, one document and an icon. All are files of their own, because
 * the server forbids inline code. Also builds the view of MCP Apps, which is one document with everything in it. `node scripts/build-page.ts` replaces only `dist/console`.
 */
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "rolldown";

const root = join(import.meta.dirname, "..");
const source = join(root, "src/console/page");

export function pageScript(folder: string): BuildOptions {
  return browserScript(folder, { page: join(source, "main.tsx") });
}

/** The script of the view, which `writePageFiles` puts into its document. */
export function viewScript(folder: string): BuildOptions {
  return browserScript(folder, { changes: join(source, "changes-view.tsx") });
}

function browserScript(folder: string, input: Record<string, string>): BuildOptions {
  return {
    cwd: root,
    input,
    platform: "browser",
    tsconfig: join(source, "tsconfig.json"),
    logLevel: "warn",
    output: { dir: folder, format: "esm", entryFileNames: "[name].js", minify: true },
  };
}

/** Builds the whole page into a folder. */
export async function buildPage(folder: string): Promise<void> {
  const { build } = await import("rolldown");
  await Promise.all([build(pageScript(folder)), build(viewScript(folder))]);
  writePageFiles(folder);
}

export function writePageFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ["index.html", "icon.svg"]) cpSync(join(source, name), join(folder, name));
  const styles = globSync("styles/*.css", { cwd: source }).toSorted();
  const css = styles.map((name) => shorten(readFileSync(join(source, name), "utf8"))).join("");
  writeFileSync(join(folder, "page.css"), css);
  const script = join(folder, "changes.js");
  writeFileSync(join(folder, "changes.html"), viewDocument(readFileSync(script, "utf8"), css));
  rmSync(script);
}

/** Returns the view as one document. Its policy allows its own script and style, and nothing else. */
function viewDocument(script: string, css: string): string {
  const code = script.replaceAll("</script", "<\\/script");
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(code)}; style-src ${hash(css)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="color-scheme" content="light dark" />
    <title>Changes of a call</title>
    <style>${css}</style>
  </head>
  <body>
    <main id="app"></main>
    <script type="module">${code}</script>
  </body>
</html>
`;
}

/** Removes comments and indentation. */
function shorten(css: string): string {
  return css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\n\s*/g, "\n");
}

if (import.meta.main) await buildPage(join(root, "dist/console"));
