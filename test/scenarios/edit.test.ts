import { isUtf8 } from "node:buffer";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../src/contract/error.ts";
import type { EditRequest, FilePlan } from "../../src/text/edit/edit-request.ts";
import { planEdits } from "../../src/text/edit/plan-edits.ts";
import { showDiff } from "../../src/text/edit/show-diff.ts";

/*
 * Every directory in edit/ is a test: the files in input/, the call in call.json, and either the files as they are to be
 * afterwards in expected/, or in error.json the code of the refusal and what its message or hint says. Texts in call.json
 * may be lists of lines. To add one, copy a directory.
 */
const scenarios = join(import.meta.dirname, "edit");

describe("edit scenarios", () => {
  for (const name of readdirSync(scenarios)) {
    it(name.replaceAll("-", " "), () => {
      const folder = join(scenarios, name);
      const input = filesIn(join(folder, "input"));
      const request = joinLines(JSON.parse(readFileSync(join(folder, "call.json"), "utf8"))) as EditRequest;
      const errorFile = join(folder, "error.json");
      if (existsSync(errorFile)) expectRefusal(request, input, JSON.parse(readFileSync(errorFile, "utf8")));
      else
        expect(readable(apply(planEdits(request, reader(input)), input))).toEqual(
          readable(filesIn(join(folder, "expected"))),
        );
    });
  }
});

type Files = ReadonlyMap<string, Buffer>;

function expectRefusal(
  request: EditRequest,
  input: Files,
  expected: { code: string; says?: string[] },
): void {
  const error = refusalOf(() => planEdits(request, reader(input)));
  const { says = [] } = expected;
  const text = `${error.message}\n${error.hint}`;
  expect({ code: error.code, says: says.filter((part) => text.includes(part)), text }).toEqual({
    code: expected.code,
    says,
    text,
  });
  expect(error.hint).toBeTruthy();
}

function refusalOf(act: () => readonly FilePlan[]): ToolError {
  try {
    act();
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

function reader(files: Files): (path: string) => Buffer | undefined {
  return (path) => files.get(path);
}

function apply(plans: readonly FilePlan[], files: Files): Files {
  const result = new Map(files);
  for (const plan of plans) {
    expect(showDiff(plan) !== "" || plan.changes.length === 0).toBe(true);
    if (plan.action === "delete") result.delete(plan.path);
    else result.set(plan.path, Buffer.from(plan.after));
    if (plan.action === "move") result.delete(plan.from);
  }
  return result;
}

function filesIn(folder: string): Files {
  const paths = globSync("**/*", { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

/** Bytes as text where they are text, so that a difference can be read. */
function readable(files: Files): Record<string, string> {
  const text = (bytes: Buffer) => (isUtf8(bytes) ? bytes.toString() : `hex ${bytes.toString("hex")}`);
  return Object.fromEntries([...files].sort().map(([path, bytes]) => [path, text(bytes)]));
}

/** Lists of strings are lines, everywhere but for edits. */
function joinLines(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === "string") ? value.join("\n") : value.map(joinLines);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, joinLines(item)]));
}
