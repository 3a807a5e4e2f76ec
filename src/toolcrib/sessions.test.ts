/** @module-tag slow */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type ApprovalRequest, openToolcrib } from "./index.ts";

/** A fixture in which rules allow some plain programs and the user allows the rest; `asked` lists the latter. */
async function openFixture() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "of the workspace\n");
  writeFileSync(join(workspace, "sub/a.txt"), "of sub\n");
  const asked: ApprovalRequest[] = [];
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    rules: ["ls", "cat", "cd", "sleep", "touch", "test"].map((program) => `allow run ${program} **`),
    approve: (request) => {
      asked.push(request);
      return { allow: true };
    },
  });
  const run = async (command: string, session = "main") => {
    const { data, error } = await crib.call("shell_run", { command, session });
    return error ?? (data as { readonly stdout: string }).stdout;
  };
  return {
    workspace,
    run,
    /** Why the user was asked since the last call of this. */
    why: () => asked.splice(0).map(({ reason }) => reason),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const { level } = await levelHere();

async function levelHere() {
  await using folder = temporaryFolder();
  const crib = await openToolcrib({ workspace: folder.path, stateDirectory: join(folder.path, "state") });
  try {
    return await crib.sandbox();
  } finally {
    await crib.close();
  }
}

// Without a sandbox every command asks, which hides what sessions add.
describe.skipIf(level === "none")("commands in a shell session (needs a sandbox)", () => {
  it("are checked against the state that earlier commands left", async () => {
    await using fixture = await openFixture();
    expect(await fixture.run("ls -d a.txt sub; cat a.txt")).toEqual("a.txt\nsub\nof the workspace\n");
    expect(fixture.why()).toEqual([]);
    await fixture.run("ls() { echo evil; }");
    fixture.why();
    expect(await fixture.run("cat a.txt")).toEqual("of the workspace\n");
    expect(fixture.why()).toEqual([]);
    expect(await fixture.run("ls")).toEqual("evil\n");
    expect(fixture.why()).toEqual([
      "it would run `ls`: it cannot be analysed: a name that an earlier command of this shell has given another meaning",
    ]);
    expect(await fixture.run("ls -d a.txt sub", "other")).toEqual("a.txt\nsub\n");
    expect(fixture.why()).toEqual([]);
  });

  it("are checked in the shell's current directory", async () => {
    await using fixture = await openFixture();
    expect(await fixture.run("cd sub")).toEqual("");
    expect(await fixture.run("cat a.txt")).toEqual("of sub\n");
    expect(fixture.why()).toEqual([]);
    await fixture.run("cd /etc");
    fixture.why();
    await fixture.run("cat hostname");
    expect(fixture.why()).toEqual(["it would read hostname: it is outside the workspace"]);
  });

  it("are checked when their turn comes", async () => {
    await using fixture = await openFixture();
    const slow = fixture.run("until test -e go; do sleep 0.01; done; cd /etc");
    const waiting = fixture.run("cat hostname");
    await fixture.run("touch go", "other");
    await slow;
    expect(await waiting).toMatch(/\w/);
    expect(fixture.why()).toEqual([
      "it would read /etc: it is outside the workspace",
      "it would read hostname: it is outside the workspace",
    ]);
  });
});
