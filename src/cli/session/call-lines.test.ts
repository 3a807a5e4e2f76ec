import { expect, it } from "vitest";
import { callStartLine } from "./call-lines.ts";

it("hides nothing of a command behind the end of its first line", () => {
  const told = callStartLine(
    { canonical: "shell.run", input: { command: "\n  echo hi\n\techo more > a\n" } },
    "/w",
  );
  expect(told).toBe("shell.run echo hi ⏎ echo more > a");
});

it("tells paths as they are in the workspace", () => {
  expect(callStartLine({ canonical: "file.read", input: { file_path: "/w/src/a.ts" } }, "/w")).toBe(
    "file.read src/a.ts",
  );
});
