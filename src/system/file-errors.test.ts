import { expect, it } from "vitest";
import { outsideWorkspace } from "./file-errors.ts";

it("a path outside the workspace is refused with a hint, which says that /tmp is for commands", () => {
  const hint = (path: string, workspace: string) => outsideWorkspace(path, workspace).hint;
  expect([
    hint("/tmp/x.py", "/home/ada/work"),
    hint("/var/tmp/x.py", "/home/ada/work"),
    hint("/tmpx", "/home/ada/work"),
    hint("../x.py", "/home/ada/work"),
    hint("/tmp/x.py", "/tmp/work"),
  ]).toEqual([
    "Use a path inside /home/ada/work; only commands can use /tmp.",
    "Use a path inside /home/ada/work; only commands can use /var/tmp.",
    "Use a path inside /home/ada/work; links must stay inside it too.",
    "Use a path inside /home/ada/work; links must stay inside it too.",
    "Use a path inside /tmp/work; links must stay inside it too.",
  ]);
});
