import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { builtProgram } from "./support/built-program.ts";

/** Those that need an SDK are in test/sdks. */
const names = ["agent", "backend-memory", "backend-service"] as const;
const outputs = new Map<string, string>();

/**
 * They import the package by its name, which is the build in this repository. One process runs all of them, one after the other,
 * because loading it takes longer than any of them.
 */
beforeAll(async () => {
  expect(builtProgram).toMatch(/dist/);
  const end = "\u0000";
  const program = names.map((name) => {
    const main = pathToFileURL(join(import.meta.dirname, "../examples", name, "main.ts"));
    return `await import(${JSON.stringify(main)}); console.log(${JSON.stringify(end)});`;
  });
  const words = ["--input-type=module", "-e", program.join("\n")];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const texts = stdout.split(`${end}\n`);
  for (const [index, name] of names.entries()) outputs.set(name, texts[index]!);
});

it("a custom agent works offline", () => {
  expect(outputs.get("agent")).toBe(
    "file.read\nedit.replace\nThe wood is yellow.\nTwo roads diverged in a yellow wood\n",
  );
});

it("a workspace in memory changes, and undo restores it", () => {
  expect(outputs.get("backend-memory")).toBe(
    "Two roads diverged in a yellow wood\nThe workspace is in a backend without programs, such as git\nUse the tools for files, edits and searches.\nTwo roads diverged in a blue wood\n",
  );
});

it("a workspace in a service runs commands there", () => {
  expect(outputs.get("backend-service")).toBe(
    "Two roads diverged in a yellow wood\n[sandbox: none]\npoem.txt:1:Two roads diverged in a yellow wood\n1 | Two roads diverged in a blue wood\n",
  );
});
