/** @module-tag slow */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../support/cli-workspace.ts";
import { programsWithout } from "../support/remote/command-target.ts";
import { describeTarget, type RealTarget } from "../support/remote/real-targets.ts";
import { sshMissing, sshServer } from "../support/remote/ssh-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// The command line on real targets: containers of podman and runc, here and on the other side of Debian's ssh server.

const options = { tags: ["root"] };

function commandLine({ name, env, folder, here }: RealTarget) {
  const workspace = cliWorkspace(env);
  const target = `${name}:${folder}`;
  return {
    target,
    at: (path: string) => join(here, path),
    run: (...words: readonly string[]) => workspace.run(...words),
    onTarget: (...words: readonly string[]) => workspace.run(...words, "--target", target),
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

describeTarget("podman", (target) => {
  it("edits, runs commands in a sandbox and undoes both in a container", options, async () => {
    await using there = commandLine(target());
    writeFileSync(there.at("poem.txt"), "one\ntwo\n");
    const edit = ["edit.replace", "poem.txt", "--find", "two", "--replace", "three"];
    expect(await there.onTarget("call", ...edit)).toMatchObject({ exit: 0 });
    expect(readFileSync(there.at("poem.txt"), "utf8")).toBe("one\nthree\n");
    const command = "cat poem.txt > copy.txt; pwd; echo x > /root/outside";
    const run = await there.onTarget("call", "shell.run", command, "--mode", "yolo", "--json");
    expect(JSON.parse(run.stdout).data).toMatchObject({
      stdout: "/workspace\n",
      stderr: expect.stringContaining("/root/outside: "),
      sandbox: expect.stringMatching(/^(?:bwrap|landlock)$/),
    });
    expect([existsSync(there.at("copy.txt")), existsSync(there.at("../root/outside"))]).toEqual([
      true,
      false,
    ]);
    expect(await there.onTarget("undo", "--last", "2")).toMatchObject({ exit: 0 });
    expect([existsSync(there.at("copy.txt")), readFileSync(there.at("poem.txt"), "utf8")]).toEqual([
      false,
      "one\ntwo\n",
    ]);
  });
});

describeTarget("podman over ssh", (target) => {
  it("edits, runs commands and undoes both in a container on another machine", options, async () => {
    await using there = commandLine(target());
    writeFileSync(there.at("poem.txt"), "old");
    const edit = ["edit.replace", "poem.txt", "--find", "old", "--replace", "new"];
    expect(await there.onTarget("call", ...edit)).toMatchObject({ exit: 0 });
    const run = await there.onTarget("call", "shell.run", "cat poem.txt; rm poem.txt", "--mode", "yolo");
    expect(run.stdout).toMatch(/^new/);
    expect(existsSync(there.at("poem.txt"))).toBe(false);
    expect(await there.onTarget("undo", "--last", "2")).toMatchObject({ exit: 0 });
    expect(readFileSync(there.at("poem.txt"), "utf8")).toBe("old");
    const log = await there.onTarget("log", "--json");
    expect(log.stdout).toContain(`"workspace":${JSON.stringify(there.target)}`);
    const name = target().name;
    expect((await there.run("target", "list", name)).stderr).toContain(`No server runs on ${name}.`);
    expect(await there.run("target", "clean", name)).toMatchObject({ exit: 0 });
    expect(existsSync(there.at("../root/.cache/toolcrib/remote/servers"))).toBe(false);
  });
});

describe.skipIf(sshMissing !== undefined)(
  `--upload-node over ssh${sshMissing ? `: skipped, ${sshMissing}` : ""}`,
  () => {
    async function withoutNode(test: (read: ReturnType<typeof readerOf>, target: string) => Promise<void>) {
      await using folder = temporaryFolder();
      const programs = programsWithout(["node", "nodejs"], join(folder.path, "bin"));
      await using server = sshServer({ variables: { PATH: programs, SHELL: "" } });
      writeFileSync(join(server.workspace, "poem.txt"), "one\n");
      await using here = cliWorkspace(server.env);
      const target = `ssh:test-host:${server.workspace}`;
      await test(readerOf(here, target), target);
    }

    it("is named for a machine that has no Node, and refuses another file", options, () =>
      withoutNode(async (read, target) => {
        const without = await read();
        expect(without).toMatchObject({ exit: 1, stdout: "" });
        expect(without.stderr).toContain(`${target} has no Node 22.18 or newer.`);
        expect(without.stderr).toContain("--upload-node FILE");
        const refused = await read("--upload-node", import.meta.filename);
        expect(refused).toMatchObject({ exit: 2, stdout: "" });
        expect(refused.stderr).toContain("is not an executable for Linux or macOS");
      }),
    );

    it("sends a Node once to a machine that has none, and works there with it", options, () =>
      withoutNode(async (read) => {
        const sent = await read("--upload-node", process.execPath);
        expect(sent).toMatchObject({ exit: 0, stdout: expect.stringContaining("1 | one") });
        expect(sent.stderr).toContain("Sending Node to ");
        // It stays there, and is found by its hash.
        const later = await read();
        expect(later).toMatchObject({ exit: 0, stdout: expect.stringContaining("1 | one") });
        expect(later.stderr).not.toContain("Sending Node");
      }),
    );
  },
);

function readerOf(here: CliWorkspace, target: string) {
  return (...words: readonly string[]) =>
    here.run("call", "file.read", "poem.txt", "--target", target, ...words);
}
