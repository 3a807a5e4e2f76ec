import { expect, it } from "vitest";
import { readsOnly } from "./analyse-command.ts";

it("distinguishes read-only commands from all others", () => {
  const reading = [
    "ls -la src",
    "cat a | grep -n b | head -3",
    "git status && git log --oneline",
    "find . -name '*.ts'",
  ];
  const others = [
    "",
    "# nothing",
    "npm test",
    "cat a > b",
    "sort -o a a",
    "find . -name '*.ts' -delete",
    "sed -i s/a/b/ c",
    "ls; rm a",
    "cat $(make list)",
    "$COMMAND a",
    "ls 'unfinished",
    "curl https://example.com",
    "python3 script.py",
  ];
  expect(reading.filter((command) => !readsOnly(command))).toEqual([]);
  expect(others.filter((command) => readsOnly(command))).toEqual([]);
});
