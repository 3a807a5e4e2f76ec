import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../test/support/cli-workspace.ts";
import { workspaceFiles } from "../system/directories.ts";

const fileOf = ({ home, workspace }: CliWorkspace) => join(workspaceFiles(home, workspace).index, "index.db");

it("builds the index, reports its contents, and deletes it", async () => {
  await using fixture = cliWorkspace();
  fixture.write("greet.ts", "export function greet() {}\n");
  fixture.write("notes.txt", "hello\n");
  fixture.write(".env", "TOKEN=1\n");
  const steps = [
    await fixture.runProcess("index"),
    await fixture.runProcess("index", "clear"),
    await fixture.runProcess("index", "clear"),
  ];
  expect(steps).toEqual([
    {
      exit: 0,
      stdout: expect.stringMatching(/^2 files indexed, 1 of them with symbols; \d+ kB\.\n$/),
      stderr: "",
    },
    { exit: 0, stdout: expect.stringMatching(/^Deleted the index: \d+ kB\.\n$/), stderr: "" },
    { exit: 0, stdout: "The folder has no index.\n", stderr: "" },
  ]);
  expect(existsSync(fileOf(fixture))).toBe(false);
});

it("prints the same as JSON for programs", async () => {
  await using fixture = cliWorkspace();
  fixture.write("greet.ts", "export function greet() {}\n");
  const built = await fixture.runProcess("index", "--json");
  const cleared = await fixture.runProcess("index", "clear", "--json");
  const file = fileOf(fixture);
  expect([built.stdout, cleared.stdout].map((text) => JSON.parse(text))).toEqual([
    { files: 1, indexed: 1, outlined: 1, outlinable: 1, bytes: expect.any(Number), file, problem: null },
    { bytes: JSON.parse(built.stdout).bytes, file },
  ]);
});

it("fails when the index cannot be stored, and explains why", async () => {
  await using fixture = cliWorkspace();
  fixture.write("greet.ts", "export function greet() {}\n");
  // A file where the folder should be.
  fixture.write(workspaceFiles(fixture.home, fixture.workspace).index, "");
  const { exit, stdout, stderr } = await fixture.runProcess("index");
  expect({ exit, stdout, stderr }).toEqual({
    exit: 1,
    stdout: "1 file indexed, 1 of them with symbols; 0 bytes.\n",
    stderr: expect.stringMatching(/^The index is only in memory: .* cannot be created: /),
  });
});

it("refuses other subcommands", async () => {
  await using fixture = cliWorkspace();
  expect(await fixture.runProcess("index", "build")).toEqual({
    exit: 2,
    stdout: "",
    stderr: "Unknown subcommand: toolcrib index build\nSee: toolcrib help index\n",
  });
});
