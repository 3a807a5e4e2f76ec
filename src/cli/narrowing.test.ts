import { expect, it } from "vitest";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";

it("refuses ports that cannot be exposed", async () => {
  await using fixture = cliWorkspace();
  const expose = (...words: readonly string[]) => fixture.run("call", "file.list", "--expose", ...words);
  const answers = [await expose("0"), await expose("30a"), await expose("3000", "--target", "ssh:host:/dir")];
  expect(answers.map(({ stderr }) => stderr)).toEqual([
    '"0" is not a port\nName a port from 1 to 65535: --expose 3000\n',
    '"30a" is not a port\nName a port from 1 to 65535: --expose 3000\n',
    "--expose and --target cannot be combined\nRun toolcrib on that machine to show a port there.\n",
  ]);
});

it("lists and calls only the tools that the command line selects", async () => {
  await using fixture = cliWorkspace();
  fixture.write("a.txt", "one\n");
  const names = ({ stdout }: { stdout: string }) =>
    stdout.split("\n").flatMap((line) => line.match(/^\S+/) ?? []);
  const narrow = ["--only-tools", "file.*, search.grep", "--read-only"];
  const answers = await Promise.all([
    fixture.run("tools", ...narrow),
    fixture.run("call", "file.read", "--path", "a.txt", ...narrow),
    fixture.run("call", "file.write", "--path", "a.txt", "--content", "two", ...narrow),
    fixture.run(
      "call",
      "search.glob",
      "--pattern",
      "*",
      "--only-tools",
      "file.read",
      "--only-tools",
      "search.grep",
    ),
    fixture.run("tools", "--only-tools", "file.raed"),
  ]);
  const [listed, read, written, other, unknown] = answers;
  expect({
    listed: names(listed),
    read: read.stdout,
    written: written.stderr.split("\n")[0],
    other: other.stderr,
    unknown: unknown.stderr,
    exits: answers.map(({ exit }) => exit),
    text: fixture.read("a.txt"),
  }).toEqual({
    listed: ["file.read", "file.list", "search.grep"],
    read: "1 | one\n",
    written: "Denied: file.write may change something, and only read-only tools are allowed",
    other: 'Unknown tool "search.glob"\nDid you mean search.grep?\n',
    unknown: 'Unknown tool "file.raed"\nDid you mean file.read?\n',
    exits: [0, 0, 3, 1, 2],
    text: "one\n",
  });
});

it("marks the tools that a model sees at once", async () => {
  await using fixture = cliWorkspace();
  const { stdout } = await fixture.run("tools");
  const marks = new Map(stdout.split("\n").map((line) => [line.split(" ")[0], / {2}listed {2}/.test(line)]));
  expect([marks.get("file.read"), marks.get("file.move")]).toEqual([true, false]);
  const { stdout: json } = await fixture.run("tools", "--json");
  const listed = (JSON.parse(json) as { canonical: string; listed: boolean }[]).map(
    (tool): [string, boolean] => [tool.canonical, tool.listed],
  );
  expect([new Map(listed).get("file.read"), new Map(listed).get("file.move")]).toEqual([true, false]);
});

it("offers no agent tools on the command line", async () => {
  await using fixture = cliWorkspace();
  const [table, json, call] = await Promise.all([
    fixture.run("tools"),
    fixture.run("tools", "--json", "--dialect", "openai"),
    fixture.run("call", "--dialect", "openai", "spawn_agent", '{"task":"x"}'),
  ]);
  expect([table.stdout.includes("agent."), json.stdout.includes("_agent"), call.exit]).toEqual([
    false,
    false,
    2,
  ]);
  expect(call.stderr).toMatch(/^Unknown tool "spawn_agent"\n/);
});
