/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture, textOf } from "../../../test/support/sandbox-fixture.ts";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment } from "../../contract/environment.ts";
import { openShells } from "./open-shells.ts";

const missing = await missingHere("landlock");

describe.skipIf(missing !== undefined)("a session under Landlock", () => {
  it("restores protected files after each command, and reports it", async () => {
    await using fixture = openSandboxFixture("landlock");
    execFileSync("git", ["init", "-q"], { cwd: fixture.workspace });
    const hooks = join(fixture.workspace, ".git/hooks");
    rmSync(hooks, { recursive: true, force: true });
    fixture.put(".git/hooks/own", "mine");
    const shells = openShells({ tmux: "never" });
    const run = async (command: string) => {
      const { signal } = new AbortController();
      const running = await shells
        .forCall({ environment: fixture.environment })
        .run("main", { command, signal });
      const { code, remarks } = await running.exit;
      return { code, isReported: remarks.some((remark) => remark.includes(".git/hooks")) };
    };
    const spoil = "echo evil > .git/hooks/own; echo evil > .git/hooks/pre-commit";
    try {
      for (const command of [spoil, spoil])
        expect([
          await run(command),
          readdirSync(hooks),
          readFileSync(join(hooks, "own"), "utf8"),
          await run("true"),
        ]).toEqual([{ code: 0, isReported: true }, ["own"], "mine", { code: 0, isReported: false }]);
    } finally {
      await shells.close();
    }
  });
});

const withoutBubblewrap = await missingHere("bwrap");

describe.skipIf(withoutBubblewrap !== undefined)("a session in bubblewrap", () => {
  it("continues in a new shell when the old one could see a new or replaced secret", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const confinement: Confinement = {
      isHidden: (path) => path.endsWith("/.env"),
      isReadOnly: (path) => path.endsWith("/.mcp.json"),
      absent: [{ path: join(fixture.workspace, ".mcp.json"), kind: "file" }],
    };
    const environment = confined(fixture.environment, confinement);
    const shells = openShells({ tmux: "never" });
    const run = async (command: string) => {
      const { signal } = new AbortController();
      const running = await shells.forCall({ environment }).run("main", { command, signal });
      const [stdout, { remarks }] = await Promise.all([textOf(running.stdout), running.exit]);
      return { stdout, remarks };
    };
    const openedAnew = (path: string) =>
      `The shell of this session was opened again, because the old one could see ${path}: folder, exported variables and running jobs are kept, other variables and functions are gone.`;
    const job = "(until [ -e end ]; do sleep 0.01; done; echo done > job) &";
    try {
      expect(
        await run(
          `x=1; export Y="two 'words'
and a line"; unset LANG; export HOME=/elsewhere; ${job} mkdir late; cd late; echo $x`,
        ),
      ).toEqual({ stdout: "1\n", remarks: [] });
      const secret = fixture.put("late/.env", "canary");
      expect(await run('cat .env; echo "-$x-$Y-${LANG-none}-$HOME"; pwd')).toEqual({
        stdout: `--two 'words'\nand a line-none-/elsewhere\n${fixture.workspace}/late\n`,
        remarks: [openedAnew(secret)],
      });
      expect(await run("cat .env; x=2; echo $x")).toEqual({ stdout: "2\n", remarks: [] });
      renameSync(fixture.put("draft", "canary"), secret);
      expect(await run("cat .env; echo -$x-$HOME")).toEqual({
        stdout: "--/elsewhere\n",
        remarks: [openedAnew(secret)],
      });
      fixture.put("end");
      while (!existsSync(join(fixture.workspace, "job"))) await setTimeout(10);
    } finally {
      await shells.close();
    }
  });
});

/** The environment of a call whose commands have this confinement. */
function confined(environment: Environment, confinement: Confinement): Environment {
  const start: Environment["start"] = (program, options) => {
    const given = options.confinement;
    const both = given === "ours" ? given : { ...confinement, ...given };
    return environment.start(program, { ...options, confinement: both });
  };
  return new Proxy(environment, {
    get(target, name) {
      if (name === "confinement") return confinement;
      if (name === "start") return start;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
