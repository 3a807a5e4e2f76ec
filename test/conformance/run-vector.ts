import { escapeRegex } from "../../src/lib/text/escape-regex.ts";
import type { Answer, Entry, Vector } from "./vector.ts";
import { expectedEntries, readEntries } from "./vector-workspace.ts";

/** Answers the calls: the library, or a server. */
export interface VectorCaller {
  call(tool: string, input: unknown): Promise<Answer>;
  close(): Promise<void>;
}

/** The results of a vector that are compared. */
export interface Ending {
  readonly answers: readonly Answer[];
  /** All entries of the workspace. */
  readonly after: Readonly<Record<string, Entry>>;
}

/**
 * Makes the calls of a vector in its workspace, closes the caller, and returns the actual and the expected results.
 */
export async function runVector(
  vector: Vector,
  workspace: string,
  caller: VectorCaller,
): Promise<{ readonly actual: Ending; readonly expected: Ending }> {
  const answers: Answer[] = [];
  const expected: Answer[] = [];
  try {
    for (const { tool, input, answer } of vector.calls) {
      const got = await caller.call(tool, inPlace(input, workspace));
      const output = withoutSandbox(got.content);
      answers.push({ ...got, content: output, images: got.images ?? [] });
      const accepted = [answer.content]
        .flat()
        .map((text) => fillIn(text.replaceAll("{{workspace}}", workspace), output));
      const content = accepted.find((text) => text === output) ?? accepted[0]!;
      expected.push({ ...answer, content, images: answer.images ?? [] });
    }
  } finally {
    // Sandboxed processes leave marks in the workspace until they have ended.
    await caller.close();
  }
  const after = expectedEntries(vector);
  return {
    actual: { answers, after: readEntries(workspace, after) },
    expected: { answers: expected, after },
  };
}

/** Returns `actual` if it matches `expected`, else `expected` itself, so that the difference is visible. */
export function fillIn(expected: string, actual: string): string {
  if (!/\{\{\w+\}\}/.test(expected)) return expected;
  // A regular expression cannot hold a long text, so what precedes the first placeholder is compared without one.
  const [start = "", ...parts] = expected.split(/(\{\{\w+\}\})/);
  const pattern = parts.map((part) => differing[part] ?? escapeRegex(part)).join("");
  const isExpected = actual.startsWith(start) && new RegExp(`^${pattern}$`).test(actual.slice(start.length));
  return isExpected ? actual : expected;
}

/** Removes the note about the sandbox, which differs from machine to machine. */
function withoutSandbox(content: string): string {
  return content.replace(/\n\[sandbox: \w+\]/g, "");
}

const differing: Readonly<Record<string, string>> = {
  "{{number}}": "\\d+(?:[.,]\\d+)*",
  "{{time}}": "\\d{4}-\\d\\d-\\d\\d(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?",
  "{{hash}}": "[0-9a-f]{7,64}",
  "{{id}}": "[\\w-]+",
  "{{any}}": "[\\s\\S]*",
};

function inPlace(input: unknown, workspace: string): unknown {
  const json = JSON.stringify(input).replaceAll("{{workspace}}", JSON.stringify(workspace).slice(1, -1));
  return JSON.parse(json);
}
