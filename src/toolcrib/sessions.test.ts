/** @module-tag slow */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type ApprovalRequest, openToolcrib } from "./index.ts";

/** A fixture in which a rule asks before `sub/a.txt` is read, and the user allows it. */
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
    rules: ["ask read sub/a.txt"],
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
  it("are checked in the shell's current directory", async () => {
    await using fixture = await openFixture();
    expect(await fixture.run("cat a.txt")).toBe("of the workspace\n");
    expect(fixture.why()).toEqual([]);
    expect(await fixture.run("cd sub")).toBe("");
    expect(await fixture.run("cat a.txt")).toBe("of sub\n");
    expect(fixture.why()).toEqual(["a rule asks before this"]);
    expect(await fixture.run("cat a.txt", "other")).toBe("of the workspace\n");
    expect(fixture.why()).toEqual([]);
  });

  it("are checked when their turn comes", async () => {
    await using fixture = await openFixture();
    const slow = fixture.run("until test -e go; do sleep 0.01; done; cd sub");
    const waiting = fixture.run("cat a.txt");
    await fixture.run("touch go", "other");
    await slow;
    expect(await waiting).toBe("of sub\n");
    expect(fixture.why()).toEqual(["a rule asks before this"]);
  });
});
