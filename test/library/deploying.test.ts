import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { nodeFileTrace } from "@vercel/nft";
import { build as esbuild } from "esbuild";
import { build as rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import webpack from "webpack";
import { asOrdinaryUser } from "../support/as-ordinary-user.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { installed, nodes, runProgram } from "./support.ts";

const app = join(import.meta.dirname, "deploying/app.mjs");
const works = ["search.grep", "code.symbols", "document.read", "process.start"]
  .map((name) => `${name} ok\n`)
  .join("");
const fix = 'Keep the whole package: mark "toolcrib" as external in the bundler';

const bundlers: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  "esbuild, ESM": (folder) => withEsbuild(join(folder, "app.mjs"), "esm"),
  "esbuild, CommonJS": (folder) => withEsbuild(join(folder, "app.cjs"), "cjs"),
  "rolldown, ESM": (dir) => withRolldown(dir, "esm", "app.mjs"),
  "rolldown, CommonJS": (dir) => withRolldown(dir, "cjs", "app.cjs"),
  webpack: withWebpack,
};

describe("a bundled program", () => {
  it.each(Object.keys(bundlers))("runs where the package is installed: %s", async (name) => {
    await using project = newProject();
    await bundlers[name]!(join(project.path, "build"));
    symlinkSync(installed, join(project.path, "node_modules/toolcrib"));
    const bundle = name === "webpack" || name.includes("CommonJS") ? "app.cjs" : "app.mjs";
    const program = [join(project.path, "build", bundle)];
    const cwd = join(project.path, "work");
    const outputs = await Promise.all(nodes.map(({ path }) => runProgram(program, { cwd, program: path })));
    expect(outputs).toEqual(nodes.map(() => works));
  });

  it("says what to do where the package is missing", async () => {
    await using project = newProject();
    await bundlers["esbuild, ESM"]!(join(project.path, "build"));
    const cwd = join(project.path, "work");
    expect(await runProgram([join(project.path, "build/app.mjs")], { cwd })).toContain(
      `This program was bundled, and the package toolcrib is not installed where it runs, so Toolcrib cannot start its workers\n${fix}`,
    );
  });
});

/** Next.js and Vercel deploy the files that it finds. */
it("names the file that tracing has left out, and runs when the whole package is included", async () => {
  await using project = newProject();
  const { fileList } = await nodeFileTrace([app], { base: import.meta.dirname });
  for (const file of fileList) cpSync(join(import.meta.dirname, file), join(project.path, file));
  const program = [join(project.path, "deploying/app.mjs")];
  const cwd = join(project.path, "work");
  const missing = join(realpathSync(project.path), "node_modules/toolcrib/dist/code-worker/main.cjs");
  expect(await runProgram(program, { cwd })).toContain(
    `${missing} is missing, so Toolcrib cannot start its workers\n${fix}`,
  );
  const modules = join(import.meta.dirname, "node_modules");
  for (const name of ["toolcrib", "@vscode"])
    cpSync(join(modules, name), join(project.path, "node_modules", name), { recursive: true });
  expect(await runProgram(program, { cwd })).toBe(works);
});

function newProject() {
  const folder = temporaryFolder();
  for (const name of ["work", "node_modules"]) mkdirSync(join(folder.path, name));
  const put = (name: string, content: string | Uint8Array) =>
    writeFileSync(join(folder.path, "work", name), content);
  put("poem.txt", "one\ntwo\n");
  put("poem.txt.gz", gzipSync("one\ntwo\n"));
  put("shapes.rs", "struct Circle;\n");
  return folder;
}

function withEsbuild(outfile: string, format: "esm" | "cjs") {
  return esbuild({ entryPoints: [app], bundle: true, platform: "node", format, outfile, logLevel: "error" });
}

function withRolldown(dir: string, format: "esm" | "cjs", entryFileNames: string) {
  return rolldown({ input: app, platform: "node", output: { dir, format, entryFileNames } });
}

async function withWebpack(path: string): Promise<void> {
  const compiler = webpack({
    mode: "none",
    target: "node",
    entry: app,
    output: { path, filename: "app.cjs" },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  compiler!.run((error, stats) => {
    if (error) return reject(error);
    const { errors, warnings } = stats!.toJson({ all: false, errors: true, warnings: true });
    if (errors!.length + warnings!.length > 0) reject(new Error(JSON.stringify([errors, warnings])));
    else resolve();
  });
  await promise;
}

it("refuses an unwritable state folder, and reads a read-only workspace", async () => {
  await using folder = temporaryFolder();
  const program = pathToFileURL(join(import.meta.dirname, "deploying/read-only.mjs"));
  expect(await asOrdinaryUser(program, folder.path)).toEqual([
    "unavailable",
    { hint: "Set TOOLCRIB_HOME to a writable folder." },
    false,
    "denied",
  ]);
});
