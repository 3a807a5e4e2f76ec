import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { examinePrograms } from "../../src/cli/doctor/examine-installation.ts";
import { openToolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { missingHere } from "../support/sandbox-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const levels = ["bwrap", "landlock"] as const;
const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };

/** The ways in which a folder of the project gets onto the PATH. `link` is outside and leads to it. */
const spellings = {
  absolute: (folder: string) => folder,
  "with ..": (folder: string) => `${folder}/../../${folder.split("/").slice(-2).join("/")}`,
  relative: (_: string, relative: string) => relative,
  linked: (_folder: string, _relative: string, link: string) => link,
};

const ways = Object.entries(spellings);

/** A project with a planted program, which leaves a mark in a folder that no command can write. */
function plant(program: string) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const at = (path: string) => join(folder.path, path);
  const file = at(`project/${program}`);
  const workspace = at("project/package");
  for (const path of [dirname(file), workspace]) mkdirSync(path, { recursive: true });
  writeFileSync(at("project/package.json"), "{}");
  writeFileSync(join(workspace, "README.md"), "the text\n");
  writeFileSync(file, `#!/bin/sh\necho ran > '${at("mark")}'\necho planted\n`);
  chmodSync(file, 0o755);
  symlinkSync(dirname(file), at("link"));
  return {
    workspace,
    mark: at("mark"),
    isMarked: () => existsSync(at("mark")),
    onPath: (spell: (folder: string, relative: string, link: string) => string, cwd = workspace) => {
      const relative = dirname(file).slice(cwd.length + 1);
      vi.stubEnv("PATH", `${spell(dirname(file), relative, at("link"))}::${process.env.PATH}`);
      onTestFinished(() => void vi.unstubAllEnvs());
    },
    open: async (options: Partial<ToolcribOptions> = {}) => {
      const crib = await openToolcrib({
        workspace,
        stateDirectory: at("state"),
        configDirectory: at("config"),
        mode: "cautious",
        ...options,
      });
      onTestFinished(() => crib.close());
      return crib;
    },
  };
}

describe.each(ways)("a program of the project, in a folder on the PATH: %s", (_, spell) => {
  it.skipIf(missing.bwrap !== undefined)(
    "does not run outside the sandbox by a rule about a name",
    async () => {
      const planted = plant("package/.venv/bin/uname");
      planted.onPath(spell);
      const crib = await planted.open({
        sandbox: "bwrap",
        rules: ["unconfined run uname", "allow run uname"],
      });
      const { data } = await crib.call("shell.run", { command: "uname" });
      expect(data).toMatchObject({ sandbox: "none", exitCode: 0, stdout: "Linux\n" });
      expect(planted.isMarked()).toBe(false);
    },
  );

  it("does not run as git for git.status, also from a folder above the workspace", async () => {
    const planted = plant("node_modules/.bin/git");
    planted.onPath(spell);
    const crib = await planted.open({ sandbox: "none" });
    await crib.call("git.status", {});
    expect(planted.isMarked()).toBe(false);
  });

  it("does not run for doctor", async () => {
    const planted = plant("package/node_modules/.bin/perl");
    planted.onPath(spell);
    await examinePrograms(planted.workspace, new AbortController().signal);
    expect(planted.isMarked()).toBe(false);
  });
});

describe.each(levels)("with %s", (level) => {
  it.skipIf(missing[level] !== undefined)(
    "a program that is allowed because it only reads is that of the system",
    async () => {
      const planted = plant("package/node_modules/.bin/cat");
      planted.onPath(spellings.absolute);
      const crib = await planted.open({ sandbox: level, mode: "safe", approve: () => ({ allow: true }) });
      const { data } = await crib.call("shell.run", { command: "cat README.md" });
      expect(data).toMatchObject({ sandbox: level, stdout: "the text\n" });
    },
  );

  it.skipIf(missing[level] !== undefined)("other programs of the project run inside", async () => {
    const planted = plant("package/.venv/bin/mytool");
    planted.onPath(spellings.absolute);
    const crib = await planted.open({ sandbox: level, mode: "yolo" });
    const { data } = await crib.call("shell.run", { command: "mytool" });
    expect(data).toMatchObject({ sandbox: level, stdout: "planted\n" });
    expect(planted.isMarked()).toBe(false);
  });
});
