import { isUtf8 } from "node:buffer";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Outcome } from "../../src/contract/call.ts";
import type { Directory, Environment } from "../../src/contract/environment.ts";
import type { AnyTool } from "../../src/contract/tool.ts";
import { runTool } from "../../src/pipeline/run-tool.ts";
import { compose } from "../../src/pipeline/stage.ts";
import { catchErrors } from "../../src/pipeline/stages/catch-errors.ts";
import { rejectInvalidInput } from "../../src/pipeline/stages/reject-invalid-input.ts";
import type { EditData } from "../../src/tools/edit/describe-edit.ts";
import { editDiff } from "../../src/tools/edit/diff.ts";
import { editPatch } from "../../src/tools/edit/patch.ts";
import { editPreview } from "../../src/tools/edit/preview.ts";
import { editReplace } from "../../src/tools/edit/replace.ts";
import { noServices } from "../support/no-services.ts";

/*
 * Every directory in edit/ is a test of the edit tools: the files in input/, the call in call.json (`kind` is the tool,
 * the rest its input), and either the files as they are to be afterwards in expected/, or in error.json the code of the
 * refusal and parts of its message or hint. notes.json, if present, has all notes of the result. Texts in call.json may
 * be lists of lines. To add one, copy a directory.
 */
const scenarios = join(import.meta.dirname, "edit");

const tools: Readonly<Record<string, AnyTool>> = { replace: editReplace, patch: editPatch, diff: editDiff };

/** Registers a test for each scenario. `open` returns an environment with these files and no others. */
export function testEditScenarios(open: (files: Files) => Environment): void {
  for (const name of readdirSync(scenarios)) {
    it(name.replaceAll("-", " "), async () => {
      const folder = join(scenarios, name);
      const { kind, ...input } = joinLines(readJson(join(folder, "call.json"))) as Record<string, unknown>;
      const files = filesIn(join(folder, "input"));
      const environment = open(files);
      const preview = await call(editPreview, input, environment);
      expect(await contentOf(environment)).toEqual(readable(files));
      const tool = tools[String(kind)]!;
      const outcome = await call(tool, input, environment);
      expect(dataOf(outcome)).toEqual(dataOf(preview));
      const errorFile = join(folder, "error.json");
      const expected = existsSync(errorFile) ? files : filesIn(join(folder, "expected"));
      if (existsSync(errorFile)) expectRefusal(outcome, readJson(errorFile) as ExpectedRefusal);
      const notesFile = join(folder, "notes.json");
      if (existsSync(notesFile)) expect(notesIn(outcome)).toEqual(readJson(notesFile));
      const after = await contentOf(environment);
      expect(after).toEqual(readable(expected));
      if (outcome.ok)
        expect(announced(tool, input)).toEqual(expect.arrayContaining(changed(readable(files), after)));
    });
  }
}

type Files = Readonly<Record<string, Buffer>>;

/** The same check as in the pipeline. */
async function call(tool: AnyTool, input: unknown, environment: Environment): Promise<Outcome> {
  const counter = compose([catchErrors(undefined), rejectInvalidInput({})], runTool(environment, noServices));
  return counter({
    id: "call",
    tool,
    input,
    accesses: [],
    environment,
    account: {},
    signal: new AbortController().signal,
    timeoutMs: undefined,
    outlivedBy: () => {},
    notify: () => {},
  });
}

function announced(tool: AnyTool, input: unknown): readonly string[] {
  return tool
    .accesses(input)
    .flatMap((access) => (access.kind === "write" || access.kind === "delete" ? access.path : []));
}

function changed(before: Record<string, string>, after: Record<string, string>): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]);
}

function dataOf(outcome: Outcome): unknown {
  return outcome.ok ? outcome.data : outcome.error;
}

function notesIn(outcome: Outcome): readonly string[] {
  if (!outcome.ok) throw outcome.error;
  return (outcome.data as EditData).files.flatMap(({ notes }) => notes);
}

interface ExpectedRefusal {
  readonly code: string;
  readonly says?: readonly string[];
}

function expectRefusal(outcome: Outcome, { code, says = [] }: ExpectedRefusal): void {
  if (outcome.ok) throw new Error("It was not refused.");
  const { error } = outcome;
  const text = `${error.message}\n${error.hint}`;
  expect({ code: error.code, says: says.filter((part) => text.includes(part)), text }).toEqual({
    code,
    says,
    text,
  });
  expect(error.hint).toBeTruthy();
}

function filesIn(folder: string): Files {
  const paths = globSync("**/*", { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

async function contentOf(environment: Environment): Promise<Record<string, string>> {
  const files: Record<string, Buffer> = {};
  const collect = async (directory: Directory): Promise<void> => {
    for (const { name, kind } of await directory.entries()) {
      if (kind === "directory") await collect(await directory.openDirectory(name));
      else files[join(directory.path, name)] = Buffer.from((await directory.readFile(name, 1e6))!);
    }
  };
  await collect(await environment.openDirectory("."));
  return readable(files);
}

/** Shows bytes as text where they are text, so that a difference is readable. */
function readable(files: Files): Record<string, string> {
  const text = (bytes: Buffer) => (isUtf8(bytes) ? bytes.toString() : `hex ${bytes.toString("hex")}`);
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, text(bytes)]));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Lists of strings are lines, everywhere except for edits. */
function joinLines(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === "string") ? value.join("\n") : value.map(joinLines);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, joinLines(item)]));
}
