import { expect, it } from "vitest";
import { tellStart } from "./tell-call.ts";

it("hides nothing of a command behind the end of its first line", () => {
  const told = tellStart(
    { canonical: "shell.run", input: { command: "\n  echo hi\n\techo more > a\n" } },
    "/w",
  );
  expect(told).toBe("shell.run echo hi ⏎ echo more > a");
});

it("tells paths as they are in the workspace", () => {
  expect(tellStart({ canonical: "file.read", input: { file_path: "/w/src/a.ts" } }, "/w")).toBe(
    "file.read src/a.ts",
  );
});
