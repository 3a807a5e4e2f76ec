/** @module-tag slow */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { npmPackageFolder } from "../support/npm-package-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const repository = join(import.meta.dirname, "../..");
const sdks = ["openai", "@anthropic-ai/sdk", "@google/genai", "ai", "@ai-sdk/openai"];

/** A project with the examples, in which Toolcrib and the SDKs are installed. */
const project = temporaryFolder();

beforeAll(() => {
  expect(builtProgram).toMatch(/dist/);
  writeFileSync(join(project.path, "package.json"), '{ "type": "module" }');
  cpSync(join(repository, "examples"), join(project.path, "examples"), { recursive: true });
  install("toolcrib", repository);
  for (const name of sdks) install(name, npmPackageFolder(name));
});
afterAll(() => project[Symbol.asyncDispose]());

/** Each runs the real SDK with a provider on this machine that checks the requests. */
it.each(["openai", "openai-chat", "anthropic", "google", "ai-sdk"])(
  "a model works with the tools through %s",
  async (name) => {
    const main = join(project.path, "examples", name, "main.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [main]);
    expect(stdout).toBe("The wood is yellow.\n");
  },
);

function install(name: string, folder: string): void {
  const link = join(project.path, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(folder, link);
}
