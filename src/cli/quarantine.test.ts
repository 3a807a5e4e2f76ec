import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { cliWithModel } from "../../test/support/cli-with-model.ts";
import { type CliWorkspace, cliWorkspace } from "../../test/support/cli-workspace.ts";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { Quarantine } from "../engine/sandbox/quarantine.ts";
import { recordFolders } from "../sandbox/restore-abandoned.ts";
import { workspaceFiles } from "../system/directories.ts";
import { pinRealPath } from "../system/pinned-path.ts";

/** Holds back entries of the workspace, as the sandbox does. Returns their ids. */
function holdBack({ workspace, home }: CliWorkspace, ...names: readonly string[]): readonly string[] {
  const { quarantine } = recordFolders(workspaceFiles(home, workspace).sandbox);
  const parent = pinRealPath(workspace)!;
  const store = new Quarantine({ folder: quarantine, workspace });
  try {
    return names.map((name) => store.take(parent, name, join(workspace, name)).id);
  } finally {
    parent.close();
  }
}

it("lists what was held back, shows it, and puts it in place once", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  const nothing = await fixture.run("quarantine");
  mkdirSync(join(fixture.workspace, ".vscode"));
  fixture.write(".vscode/tasks.json", "\u001b[31m{}\nsecond\n");
  const [id] = holdBack(fixture, ".vscode");
  const listed = await fixture.run("quarantine", "list");
  const shown = await fixture.run("quarantine", "show", id!);
  const unasked = await fixture.run("quarantine", "allow", id!);
  const isHeld = !existsSync(join(fixture.workspace, ".vscode"));
  const allowed = await fixture.run("quarantine", "allow", id!, "--yes");
  const again = await fixture.run("quarantine", "allow", id!, "--yes");
  expect([nothing.stderr, listed.stdout, shown.stdout]).toEqual([
    "Nothing was held back.\n",
    expect.stringMatching(new RegExp(`^${id}  .* +\\.vscode  allow write \\.vscode/\\*\\*\\n$`)),
    expect.stringMatching(
      /^\.vscode was held back on .*\.\nIt waits in .*\n.*: allow write \.vscode\/\*\*\n\n\.vscode\/tasks\.json\n {2}\| .*\{\}\n {2}\| second\n$/,
    ),
  ]);
  expect(shown.stdout).not.toContain("\u001b");
  expect([unasked.exit, isHeld, allowed, again.exit, again.stderr.split("\n")[0]]).toEqual([
    4,
    true,
    { exit: 0, stdout: ".vscode is in place.\n", stderr: "" },
    1,
    `${id} was already allowed`,
  ]);
  expect(fixture.read(".vscode/tasks.json")).toBe("\u001b[31m{}\nsecond\n");
});

it("prints JSON for programs", async () => {
  await using fixture = cliWorkspace();
  fixture.write(".envrc", "PATH=.\n");
  const [id] = holdBack(fixture, ".envrc");
  const listed = JSON.parse((await fixture.run("quarantine", "--json")).stdout);
  const shown = JSON.parse((await fixture.run("quarantine", "show", id!, "--json")).stdout);
  const allowed = JSON.parse((await fixture.run("quarantine", "allow", id!, "--yes", "--json")).stdout);
  const item = {
    id,
    path: ".envrc",
    kind: "file",
    heldAt: expect.any(Number),
    allowedAt: null,
    isBack: false,
    rule: "allow write .envrc",
  };
  expect([listed, shown, allowed]).toEqual([
    [item],
    { ...item, entries: [{ path: "", kind: "file", target: null, text: "PATH=.\n" }] },
    { ...item, allowedAt: expect.any(Number) },
  ]);
});

it("refuses unknown ids, what would replace a file, and commands of tools", async () => {
  await using fixture = cliWorkspace();
  fixture.write(".envrc", "theirs\n");
  const [id] = holdBack(fixture, ".envrc");
  fixture.write(".envrc", "mine\n");
  const unknown = await fixture.run("quarantine", "show", "../..");
  const none = await fixture.run("quarantine", "allow");
  const taken = await fixture.run("quarantine", "allow", id!, "--yes");
  expect([unknown, none, taken].map(({ exit, stderr }) => [exit, stderr.split("\n")[0]])).toEqual([
    [2, "Nothing with the id ../.. is held back"],
    [2, "Nothing with the id (none) is held back"],
    [1, `${join(fixture.workspace, ".envrc")} exists now, and is not what was there before`],
  ]);
  expect(fixture.read(".envrc")).toBe("mine\n");
});

describe.skipIf((await missingHere("bwrap")) !== undefined)(
  "what a command leaves at a protected path",
  () => {
    const told = expect.stringMatching(
      /^\.envrc was created or changed while a command ran, and was held back\. See: toolcrib quarantine show \w{6}$/m,
    );

    it("is shown by call, log and log show", { tags: "slow" }, async () => {
      await using fixture = cliWorkspace();
      fixture.write("make.sh", "echo x > .envrc\n");
      const called = await fixture.run("call", "shell.run", "--command", "sh make.sh", "--mode", "yolo");
      await fixture.run("call", "shell.run", "--command", "true", "--mode", "yolo");
      const [{ id }] = JSON.parse((await fixture.run("quarantine", "--json")).stdout);
      const listed = (await fixture.run("log")).stdout.split("\n");
      const calls = JSON.parse((await fixture.run("log", "--json")).stdout);
      const { callId } = calls[1];
      const shown = async () => (await fixture.run("log", "show", callId)).stdout;
      expect([called.stderr, listed[0], listed[1]]).toEqual([
        told,
        expect.stringMatching(/ ok {2,}.*true$/),
        expect.stringContaining(" ok, 1 held "),
      ]);
      expect(await shown()).toMatch(new RegExp(`^held back +\\.envrc: toolcrib quarantine show ${id}$`, "m"));
      expect(calls.map(({ heldBack }: { heldBack: readonly { id: string }[] }) => heldBack)).toEqual([
        [],
        [expect.objectContaining({ id, path: ".envrc", rule: "allow write .envrc", allowedAt: null })],
      ]);
      await fixture.run("quarantine", "allow", id, "--yes");
      expect(await shown()).toMatch(/^held back +\.envrc: allowed$/m);
    });

    it("is held back by the next call after kill -9, which says so once", { tags: "slow" }, async () => {
      await using fixture = cliWorkspace();
      const at = (name: string) => join(fixture.workspace, name);
      fixture.write(
        "make.sh",
        "echo > begun; until [ -e go ]; do sleep 0.01; done; echo x > .envrc; echo > made; sleep 600\n",
      );
      const killed = fixture.start("call", "shell.run", "--command", "sh make.sh", "--mode", "yolo");
      while (!existsSync(at("begun"))) await setTimeout(10);
      // It looks every half second, and a stopped process does not.
      killed.kill("SIGSTOP");
      fixture.write("go", "");
      while (!existsSync(at("made"))) await setTimeout(10);
      killed.kill("SIGKILL");
      await once(killed, "exit");
      const left = existsSync(at(".envrc"));
      const list = () => fixture.run("call", "shell.run", "--command", "ls -A", "--mode", "yolo");
      const [next, then] = [await list(), await list()];
      const heldBack = JSON.parse((await fixture.run("quarantine", "--json")).stdout);
      expect([left, next.stdout, then.stdout, then.stderr]).toEqual([
        true,
        "begun\ngo\nmade\nmake.sh\n",
        "begun\ngo\nmade\nmake.sh\n",
        "",
      ]);
      expect(heldBack).toEqual([expect.objectContaining({ path: ".envrc", allowedAt: null })]);
      expect(next.stderr.match(/.*held back.*/gi)).toEqual([
        expect.stringMatching(/^After a crash: Held back, .*: \.envrc \(\w{6}\)\./),
      ]);
    });

    it.each(["run", "chat"])("is shown by %s", { tags: "slow" }, async (command) => {
      const call = { name: "Bash", input: { command: "sh make.sh", description: "Make" } };
      await using fixture = await cliWithModel([{ text: "I make it.", calls: [call] }, { text: "Done." }]);
      fixture.write("make.sh", "echo x > .envrc\n");
      const words = ["--dialect", "claude-code", "--mode", "yolo"];
      const ran =
        command === "run"
          ? await fixture.run("run", ...words, "Make it")
          : await fixture.feed("Make it\n", "chat", ...words);
      expect(ran).toEqual({ exit: 0, stdout: expect.stringContaining("Done."), stderr: told });
    });
  },
);
