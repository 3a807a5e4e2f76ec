import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxLevel } from "../../src/contract/call.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { dataPath } from "../data/data.ts";
import type { Case, Contender, Group } from "../harness.ts";

const workspace = dataPath("confined-git");
const files = 3000;

/** Compares git in a sandbox with plain git, from the start of the shell to its end. */
export const group: Group = {
  needs: [],
  prepare: makeRepository,
  cases: [
    compared("status", "git status --short > /dev/null", 20),
    compared("log", "git log --oneline > /dev/null", 20),
    compared("config", "git config user.name Ada", 20),
    compared("add", "echo $RANDOM$RANDOM > changed; git add changed", 20),
    compared("commit", "git commit -q --allow-empty -m one", 20),
    compared("commit with a hook", "git -c core.hooksPath=tools commit -q --allow-empty -m one", 20),
    compared("rebase of 50 commits", "git rebase -q -f HEAD~50", 3),
    compared("checkout of 3 000 files", "git checkout -q other && git checkout -q main", 3),
  ],
};

function compared(name: string, command: string, rounds: number): Case {
  return {
    name: `git ${name}`,
    about: `\`${command}\` in a repository with ${files} files, as a command in bash.`,
    rounds,
    warmUpRounds: 1,
    goals: [],
    contenders: {
      "plain git": () => contender("none", command),
      "toolcrib, bwrap": () => contender("bwrap", command),
      "true in bwrap": () => contender("bwrap", "true"),
    },
  };
}

function contender(level: SandboxLevel, command: string): Contender {
  const copy = `${workspace}-${process.pid}`;
  execFileSync("cp", ["-a", workspace, copy]);
  const state = `${copy}-state`;
  const environment = openLocalEnvironment({
    workspace: copy,
    sandbox: { want: level, directory: state },
  });
  return {
    run: async () => {
      const { signal } = new AbortController();
      const { stdout, stderr, exit } = await environment.start("bash", {
        args: ["-c", command],
        signal,
        confinement: level === "none" ? { unconfined: true } : {},
      });
      const [, printed, { code }] = await Promise.all([read(stdout), read(stderr), exit]);
      if (code !== 0) throw new Error(`${command} ended with ${code}: ${printed}`);
      return `exit ${code}`;
    },
    close: async () => {
      await environment.close();
      for (const folder of [copy, state]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function read(output: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of output) text += Buffer.from(bytes).toString();
  return text;
}

function makeRepository(): void {
  if (existsSync(join(workspace, ".git"))) return;
  mkdirSync(join(workspace, "tools"), { recursive: true });
  writeFileSync(join(workspace, "tools/post-commit"), "#!/bin/sh\ngit rev-parse HEAD > /dev/null\n", {
    mode: 0o755,
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...args], { cwd: workspace, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("config", "gc.auto", "0");
  const write = (content: string) => {
    for (let index = 0; index < files; index++) {
      const folder = join(workspace, `d${index % 60}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `f${index}`), `${content} ${index}\n`);
    }
    git("add", "-A");
    git("commit", "-q", "-m", content);
  };
  write("main");
  git("checkout", "-q", "-b", "other");
  write("other");
  git("checkout", "-q", "main");
  for (let index = 0; index < 60; index++) git("commit", "-q", "--allow-empty", "-m", `empty ${index}`);
}
