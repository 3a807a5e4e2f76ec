import { expect, it } from "vitest";
import { callEndLine, callStartLine } from "./call-lines.ts";

it("shows all lines of a command in one", () => {
  const line = callStartLine(
    { canonical: "shell.run", input: { command: "\n  echo hi\n\techo more > a\n" } },
    "/w",
  );
  expect(line).toBe("shell.run echo hi ⏎ echo more > a");
});

it("shows paths relative to the workspace", () => {
  expect(callStartLine({ canonical: "file.read", input: { file_path: "/w/src/a.ts" } }, "/w")).toBe(
    "file.read src/a.ts",
  );
});

it("counts what a search found in each of its modes", () => {
  const lineOf = (data: object) => callEndLine({ error: null, isError: false, data, shown: "" });
  const files = ["a", "b", "c", "d", "e"].map((path) => ({ path, count: 2 }));
  expect([
    lineOf({ mode: "files", matches: [], files, limited: false }),
    lineOf({ mode: "count", matches: [], files, limited: false }),
    lineOf({ mode: "content", matches: [{}], files: files.slice(4), limited: true }),
    lineOf({ mode: "files", matches: [], files: [], limited: false }),
    lineOf({ files: [], total: 0, limited: false }),
    lineOf({ results: [{}, {}] }),
    lineOf({ commits: [{}] }),
  ]).toEqual([
    ...[
      "5 files",
      "10 matches in 5 files",
      "at least 1 match",
      "0 files",
      "0 files",
      "2 results",
      "1 commit",
    ],
  ]);
});

it("shows a user the message for users", () => {
  const error = {
    code: "timeout",
    message: "For models",
    hint: null,
    forUser: { message: "For you" },
  } as const;
  expect(callEndLine({ error, isError: true, data: null, shown: "" })).toBe("failed: For you");
});
