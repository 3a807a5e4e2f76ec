import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { SandboxLevel } from "../contract/call.ts";
import type { PolicyMode } from "../policy/policy.ts";
import { openToolcrib } from "./index.ts";

const secret = "text-outside-of-the-workspace";

/** A repository whose links, programs and scripts lead out of it or run code, and an instance that answers no question. */
async function openFixture(level: SandboxLevel, mode: PolicyMode) {
  const folder = temporaryFolder();
  const [workspace, outside] = [join(folder.path, "work"), join(folder.path, "outside")] as const;
  for (const path of [workspace, outside, join(workspace, "d")]) mkdirSync(path);
  writeFileSync(join(outside, "data"), `${secret}\n`);
  writeFileSync(join(outside, "mod.jq"), `def x: "${secret}";\n`);
  const files = {
    a: "b\na\n",
    "d/b": "b\n",
    "p.awk": '{ print "x" > "written"; print "touch run" | "sh"; system("touch run") }\n',
    "w.sed": "w written\n1e touch run\n",
    names: `${outside}/data\0`,
    at: `${outside}/data\n`,
    "x.1": `.so ${outside}/data\n`,
    "m.jq": `include "mod" {search: "${outside}"}; x\n`,
    "evil.sh": "#!/bin/sh\ntouch run\n",
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(workspace, name), text, { mode: 0o755 });
  symlinkSync(outside, join(workspace, "d/out"));
  symlinkSync(join(outside, "data"), join(workspace, "d/file"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", workspace, "-c", "user.name=n", "-c", "user.email=e", ...args]);
  git("init", "-q");
  git("add", "a");
  git("commit", "-qm", "first");
  git("config", "core.fsmonitor", "./evil.sh");
  const crib = await openToolcrib({
    workspace,
    mode,
    sandbox: level,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  return {
    /** Whether an entry of the workspace was made by a command. */
    made: () => readdirSync(workspace).filter((name) => /^(?:written|run|new)/.test(name)),
    has: (name: string) => existsSync(join(workspace, name)),
    run: async (command: string) => {
      const { data, error } = await crib.call("shell.run", { command });
      const ran = data as { stdout: string; stderr: string; exitCode: number; remarks: string[] } | null;
      return { code: error?.code ?? ran?.exitCode, output: JSON.stringify(ran) };
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

for (const level of ["bwrap", "landlock"] as const) {
  const missing = await missingHere(level);

  describe.skipIf(missing !== undefined)(`a command that is known to only read, with ${level}`, () => {
    it("runs unasked in safe and writes nothing, whatever its scripts and options do", {
      tags: "slow",
    }, async () => {
      await using fixture = await openFixture(level, "safe");
      const commands = [
        "awk -f p.awk a",
        "sed -f w.sed a",
        "sed 'w written' a",
        "sed '1e touch run' a",
        "uniq a written",
        "xxd a written",
        "git status --short",
        "git diff --output=written",
        "git -c core.pager='touch run' -c pager.log=true log",
        "find . -name a -newer written",
        "cat a; head -1 a | tee written",
      ];
      const ran: string[] = [];
      for (const command of commands) {
        const { code } = await fixture.run(command);
        if (code === "needs-approval") ran.push(command);
      }
      expect([ran, fixture.made()]).toEqual([
        ["git -c core.pager='touch run' -c pager.log=true log", "cat a; head -1 a | tee written"],
        [],
      ]);
    });

    it("says how to write a file when the view refuses to", { tags: "slow" }, async () => {
      await using fixture = await openFixture(level, "cautious");
      const refused = await fixture.run("uniq a written");
      const written = await fixture.run("uniq a > written");
      expect([refused.code, written.code, fixture.made()]).toEqual([1, 0, ["written"]]);
      expect(refused.output).toContain("Write the result with `> FILE`");
    });

    it("reads nothing outside the workspace, through no file list, import, include or link", {
      tags: "slow",
    }, async () => {
      await using fixture = await openFixture(level, "cautious");
      const commands = [
        "sort --files0-from=names",
        "cat names | sort --files0-from=-",
        "wc --files0-from=names",
        "strings @at",
        "xargs cat < at",
        "jq -n -f m.jq",
        "man ./x.1 2>&1",
        "grep -R . d",
        "rg -L . d",
        "diff -r d .",
        "tar -chf - d | strings",
        "cat d/*/data d/fil*",
        "find -L d -name data | xargs cat",
        "sed 'r d/file' a",
        "awk 'BEGIN { while ((getline line < \"d/file\") > 0) print line }'",
        "cp -rL d new && cat new/file",
      ];
      const leaked: string[] = [];
      const asked: string[] = [];
      for (const command of commands) {
        const { code, output } = await fixture.run(command);
        if (code === "needs-approval") asked.push(command);
        if (output.includes(secret)) leaked.push(command);
      }
      expect([leaked, asked]).toEqual([[], []]);
    });
  });
}
