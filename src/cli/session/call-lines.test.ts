import { expect, it } from "vitest";
import { callEndLine, callStartLine } from "./call-lines.ts";

it("shows all lines of a command in one", () => {
  const told = callStartLine(
    { canonical: "shell.run", input: { command: "\n  echo hi\n\techo more > a\n" } },
    "/w",
  );
  expect(told).toBe("shell.run echo hi ⏎ echo more > a");
});

it("shows paths relative to the workspace", () => {
  expect(callStartLine({ canonical: "file.read", input: { file_path: "/w/src/a.ts" } }, "/w")).toBe(
    "file.read src/a.ts",
  );
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
