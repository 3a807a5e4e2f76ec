import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSandboxFixture, type SandboxFixture } from "../sandbox-fixture.ts";
import { plainly } from "./seed.ts";
import { usualConfinement } from "./usual-confinement.ts";

/** A repository whose commands are confined, while an editor outside asks git about it again and again. */
export interface WatchedRepository extends AsyncDisposable {
  readonly fixture: SandboxFixture;
  /** Runs a command with `prelude`, confined or, for comparison, as plain bash. */
  run(command: string, how: "confined" | "plain"): Promise<void>;
  /** Runs a script as the user outside, which may fail. */
  asUser(script: string): void;
  /** The names of the payloads that have run outside. */
  ranOutside(): readonly string[];
}

/** `opened`: folders in which the editor asks git, besides the top. `given`: what the user did before. */
export function openWatchedRepository(given = "", opened: readonly string[] = []): WatchedRepository {
  const fixture = openSandboxFixture("bwrap");
  const { workspace, outside } = fixture;
  const polls = fixture.put("polls");
  const stop = join(outside, "stop");
  const asUser = (script: string) => {
    try {
      plainly(workspace, script);
    } catch {
      // Git may refuse what an attack left.
    }
  };
  plainly(workspace, `${prelude(fixture)}${usersRepository}\n${given}`);
  const folders = [".", ...opened].map((folder) => `'${folder}'`).join(" ");
  const editor = spawn(
    "/bin/bash",
    [
      "--noprofile",
      "--norc",
      "-c",
      `while [ ! -e '${stop}' ] && kill -0 ${process.pid} 2> /dev/null; do for f in ${folders}; do git -C "$f" status; done; printf x >> '${polls}'; done`,
    ],
    { cwd: workspace, env: userVariables, stdio: "ignore" },
  );
  const ended = once(editor, "close");
  return {
    fixture,
    asUser,
    run: async (command, how) => {
      const whole = prelude(fixture) + command;
      if (how === "confined") await fixture.run(whole, usualConfinement(workspace));
      else {
        const args = ["--noprofile", "--norc", "-c", whole];
        await once(
          spawn("/bin/bash", args, { cwd: workspace, env: userVariables, stdio: "ignore" }),
          "close",
        );
      }
    },
    ranOutside: () => readdirSync(outside).filter((name) => name.startsWith("ran")),
    [Symbol.asyncDispose]: async () => {
      if (!existsSync(stop)) writeFileSync(stop, "");
      await ended;
      await fixture[Symbol.asyncDispose]();
    },
  };
}

// Editors ask without taking the lock of the index.
const userVariables = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
};

const usersRepository = `git init -q --template= -b main; mkdir -p .git/hooks .git/info src
git config user.name Ada; git config user.email ada@example.org; echo polls > .git/info/exclude
echo text > src/file; git add src; git commit -qm first; echo more >> src/file; git commit -qam second`;

/**
 * Functions for attacks. `evil FILE`: settings that make git run the payload; `hook FOLDER NAME`: a hook that is the payload;
 * `polled`: waits until the editor has asked git again.
 */
function prelude({ workspace, outside }: SandboxFixture): string {
  const payload = `touch '${outside}/ran'; false`;
  return `export EDITOR=false GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org
TOP='${workspace}'; cd "$TOP" || exit 99
PAYLOAD="${payload}"
settings() { printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "%s"\\n' "$PAYLOAD"; }
evil() { settings > "$1"; }
hook() { mkdir -p "$1"; printf '#!/bin/sh\\n%s\\n' "$PAYLOAD" > "$1/$2"; chmod 755 "$1/$2"; }
initial() { git init -q --template= "$1"; git -C "$1" commit -qm x --allow-empty; }
size() { stat -c %s "$TOP/polls"; }
polled() { local n=$(size); until [ $(size) -ge $((n + 3)) ]; do sleep 0.02; done; }
`;
}
