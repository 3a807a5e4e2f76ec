/** @module-tag slow */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  missingHere,
  openSandboxFixture,
  type SandboxFixture,
} from "../../../test/support/sandbox-fixture.ts";
import type { SandboxLevel } from "../../contract/call.ts";
import type { Confinement } from "../../contract/confinement.ts";
import { recordFolders } from "../../sandbox/restore-abandoned.ts";
import { listHeldBack } from "./held-back.ts";

const files = [".envrc", ".mcp.json"];
const directories = [".vscode", ".github/workflows"];

function confinementOf({ workspace }: SandboxFixture): Confinement {
  const isAt = (path: string, name: string) => path === name || path.startsWith(`${name}/`);
  const names = [...files, ...directories];
  return {
    absent: [
      ...files.map((name) => ({ path: join(workspace, name), kind: "file" as const })),
      ...directories.map((name) => ({ path: join(workspace, name), kind: "directory" as const })),
      { path: join(workspace, "lefthook*"), kind: "names" },
    ],
    isReadOnly: (path) =>
      names.some((name) => isAt(path, join(workspace, name))) || /\/lefthook[^/]*$/.test(path),
  };
}

/** Runs a command. Returns what it left at protected paths, and what was held back. */
async function attack(fixture: SandboxFixture, command: string) {
  const ran = await fixture.run(command, confinementOf(fixture));
  const at = (name: string) => join(fixture.workspace, name);
  const left = [...files, ...directories].filter((name) => lstatSync(at(name), { throwIfNoEntry: false }));
  return {
    ...ran,
    left: [...left, ...readdirSync(fixture.workspace).filter((name) => name.startsWith("left"))],
    held: heldIn(fixture),
  };
}

function heldIn({ workspace }: SandboxFixture): readonly string[] {
  const { quarantine } = recordFolders(join(dirname(workspace), "state"));
  return listHeldBack(quarantine)
    .map(({ path }) => path.slice(workspace.length + 1))
    .sort();
}

/** Commands that create protected entries, and what is held back. */
const attacks: Readonly<Record<string, readonly [command: string, held: readonly string[]]>> = {
  "new files and directories": [
    "echo evil > .envrc; echo evil > .mcp.json; mkdir .vscode; echo evil > .vscode/tasks.json; mkdir -p .github/workflows; echo evil > .github/workflows/x.yml",
    [".envrc", ".github/workflows", ".mcp.json", ".vscode"],
  ],
  "a directory that is renamed": ["mkdir x; echo evil > x/tasks.json; mv x .vscode", [".vscode"]],
  "a directory above that is renamed": [
    "mkdir -p x/workflows; echo evil > x/workflows/x.yml; mv x .github",
    [".github/workflows"],
  ],
  "new links": [
    "mkdir -p real/workflows; echo evil > real/tasks.json; ln -s real .vscode; ln -s real/tasks.json .envrc; ln -s real .github",
    [".envrc", ".github", ".vscode"],
  ],
  "a hard link, which is changed later": [
    "echo good > f; ln f .envrc; while [ -e .envrc ]; do sleep 0.05; done; echo evil > f",
    [".envrc"],
  ],
  "a FIFO": ["mkfifo .envrc", [".envrc"]],
  "a socket": [
    "perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) && bind(S,pack_sockaddr_un(\".mcp.json\")) or exit 1' || mkfifo .mcp.json",
    [".mcp.json"],
  ],
  "a large file": ["truncate -s 200M .envrc", [".envrc"]],
  "a directory that is closed": ["mkdir -m 0 .vscode", [".vscode"]],
  "a read-only directory around it": ["mkdir -p .github/workflows; chmod 555 .github", [".github/workflows"]],
  "a name of a glob": ["echo evil > lefthook.yml", ["lefthook.yml"]],
  "1,000 names": [
    "for i in $(seq 1000); do echo evil > lefthook.$i; done",
    Array.from({ length: 1000 }, (_, index) => `lefthook.${index + 1}`).sort(),
  ],
};

for (const level of ["bwrap", "landlock"] satisfies readonly SandboxLevel[]) {
  const missing = await missingHere(level);

  describe.skipIf(missing !== undefined)(`with ${level}, a command`, () => {
    it.each(Object.entries(attacks))("leaves nothing at protected paths: %s", async (_, [command, held]) => {
      await using fixture = openSandboxFixture(level);
      const ran = await attack(fixture, command);
      expect([ran.code, ran.left, ran.held]).toEqual([0, [], held]);
      expect(ran.remarks.join("\n")).toMatch(/^Held back, /m);
    });

    it("does not get around it by swapping directories and links in a loop", async () => {
      await using fixture = openSandboxFixture(level);
      const outside = fixture.put(join(fixture.outside, "workflows/mine.yml"), "mine");
      const loop = `
        mkdir -p d/workflows; echo evil > d/workflows/x.yml; ln -s '${fixture.outside}' l
        end=$((SECONDS + 2))
        while [ $SECONDS -lt $end ]; do mv d .github; mv .github d; mv l .github; mv .github l; done 2> /dev/null
        mv d .github 2> /dev/null; true`;
      const ran = await attack(fixture, loop);
      expect([ran.left, existsSync(outside), readFileSync(outside, "utf8")]).toEqual([[], true, "mine"]);
    });

    it("is ended when it creates the same path again and again", async () => {
      await using fixture = openSandboxFixture(level);
      const ran = await attack(fixture, "while :; do echo evil > .envrc; sleep 0.01; done");
      expect([ran.code === 0, ran.left, ran.remarks.join("\n")]).toEqual([
        false,
        [],
        expect.stringContaining("The command was ended, because it created the same protected path again"),
      ]);
    }, 60_000);

    // With bubblewrap, it cannot create this file.
    it.skipIf(level === "bwrap")("is ended when it makes git obey another directory", async () => {
      await using fixture = openSandboxFixture(level);
      mkdirSync(join(fixture.workspace, ".git/objects"), { recursive: true });
      mkdirSync(join(fixture.workspace, ".git/refs"));
      writeFileSync(join(fixture.workspace, ".git/HEAD"), "ref: refs/heads/main\n");
      const ran = await attack(fixture, "echo ../evil > .git/commondir; sleep 30; echo reached");
      expect([ran.stdout, existsSync(join(fixture.workspace, ".git/commondir")), ran.held]).toEqual([
        "",
        false,
        [".git/commondir"],
      ]);
    });

    it("cannot replace or change what is protected behind links", async () => {
      await using fixture = openSandboxFixture(level);
      fixture.put("settings/tasks.json", "mine");
      symlinkSync("settings", join(fixture.workspace, ".vscode"));
      symlinkSync("settings/env", join(fixture.workspace, ".envrc"));
      const command = `echo evil > settings/tasks.json; echo evil > settings/env; echo evil > .vscode/new
        rm .vscode; mkdir .vscode; echo evil > .vscode/tasks.json; true`;
      await fixture.run(command, confinementOf(fixture));
      expect([
        readlinkSync(join(fixture.workspace, ".vscode")),
        readlinkSync(join(fixture.workspace, ".envrc")),
        readdirSync(join(fixture.workspace, "settings")),
        readFileSync(join(fixture.workspace, "settings/tasks.json"), "utf8"),
      ]).toEqual(["settings", "settings/env", ["tasks.json"], "mine"]);
    });

    it("cannot replace a protected directory by a link", async () => {
      await using fixture = openSandboxFixture(level);
      fixture.put(".vscode/tasks.json", "mine");
      const command = `mv .vscode v; rm -rf .vscode; ln -s '${fixture.outside}' .vscode; true`;
      await fixture.run(command, confinementOf(fixture));
      expect([
        lstatSync(join(fixture.workspace, ".vscode")).isDirectory(),
        readFileSync(join(fixture.workspace, ".vscode/tasks.json"), "utf8"),
      ]).toEqual([true, "mine"]);
    });

    it("cannot switch it off by creating other repositories", async () => {
      await using fixture = openSandboxFixture(level);
      fixture.put("packages/app/.git/HEAD", "ref: refs/heads/main\n");
      const confinement = {
        ...confinementOf(fixture),
        isReadOnly: (path: string) => path.endsWith("/.envrc"),
      };
      await fixture.run("for i in $(seq 105); do mkdir -p $i/.git; done", confinement);
      const { remarks } = await fixture.run("echo evil > packages/app/.envrc", confinement);
      expect([existsSync(join(fixture.workspace, "packages/app/.envrc")), heldIn(fixture)]).toEqual([
        false,
        ["packages/app/.envrc"],
      ]);
      expect(remarks.join("\n")).toMatch(
        /^Too many repositories: what commands create in 6 of them is not held back, among them \d+\.$/m,
      );
    });

    it("leaves nothing for the next one that begins before it ends", async () => {
      await using fixture = openSandboxFixture(level);
      const confinement = confinementOf(fixture);
      const first = fixture.run(
        "echo evil > .envrc; : > begun; until [ -e end ]; do sleep 0.01; done",
        confinement,
      );
      while (!existsSync(join(fixture.workspace, "begun"))) await setTimeout(5);
      const second = fixture.run(
        ": > second; until [ -e end ]; do sleep 0.01; done; echo evil > .envrc",
        confinement,
      );
      while (!existsSync(join(fixture.workspace, "second"))) await setTimeout(5);
      fixture.put("end");
      await Promise.all([first, second]);
      expect(existsSync(join(fixture.workspace, ".envrc"))).toBe(false);
    });
  });
}
