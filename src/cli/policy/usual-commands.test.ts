import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { realLocation } from "../../system/directories.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import { explainDecision, type PreviewedDecision } from "../../toolcrib/replay-calls.ts";
import { readCall } from "./explain-call.ts";

/** The commands of `bench/data/commands.txt`, as coding agents run them, by where their effects end. */
function usualCommands(): readonly { readonly kind: string; readonly command: string }[] {
  const text = readFileSync(join(import.meta.dirname, "../../../bench/data/commands.txt"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [kind = "", command = ""] = line.split("\t");
      return { kind, command: command.replaceAll("\\n", "\n") };
    });
}

async function openFixture() {
  const folder = temporaryFolder();
  const top = realLocation(folder.path);
  const [workspace, state, config] = [join(top, "work"), join(top, "state"), join(top, "config")] as const;
  for (const path of [workspace, state, config]) mkdirSync(path);
  writeFileSync(join(workspace, ".env"), "KEY=1\n");
  writeFileSync(
    join(workspace, "cert.pem"),
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  );
  const environment = openLocalEnvironment({ workspace });
  const policy = await OpenPolicy.open({ workspace, config, state });
  return {
    explain: async (command: string): Promise<PreviewedDecision> => {
      const call = await readCall([`run ${command}`]);
      const sandbox = async () => "bwrap" as const;
      return explainDecision(call, { policy: policy.current, mode: "cautious", environment, sandbox });
    },
    [Symbol.asyncDispose]: async () => {
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it("asks in cautious only about what leaves the sandbox, and about what git forgets", async () => {
  await using fixture = await openFixture();
  const questions: Record<string, string[]> = { read: [], work: [], git: [], host: [], out: [] };
  const unasked: string[] = [];
  for (const { kind, command } of usualCommands()) {
    // The folder next to this workspace may be in /tmp, which belongs to the session.
    if (command.startsWith("git worktree")) continue;
    const { verdict, record } = await fixture.explain(command);
    if (verdict !== "allow") questions[kind]!.push(`${command}: ${record.reason}`);
    else if (kind === "out") unasked.push(command);
  }
  expect({ ...questions, host: [], out: [] }).toEqual({
    read: [],
    work: [],
    git: [
      "git stash drop: it would run `git stash drop`: undo cannot restore it: git forgets the stashed changes",
      "git clean -fdx: it would run `git clean -fdx`: undo cannot restore it: it deletes ignored files",
    ],
    host: [],
    out: [],
  });
  expect(unasked).toEqual([]);
  // The others ask when they connect.
  expect(questions["host"]).toEqual([
    "curl -s https://api.github.com/repos/o/r/releases/latest: it would connect to api.github.com",
    "wget https://example.com/data.csv: it would connect to example.com",
  ]);
  expect(questions["out"]).toEqual([
    "git push origin HEAD: it would run `git push origin HEAD`: it reaches other machines, where nothing is undone",
    "gh pr create --fill: it would run `gh pr create --fill`: it reaches an account elsewhere, where nothing is undone",
    "npm publish: it would run `npm publish`: it reaches other machines, where nothing is undone",
    "docker compose up -d: it would run `docker compose up -d`: it reaches the container engine, where nothing is undone",
    "ssh build-host uptime: it would run `ssh build-host uptime`, connect to build-host: it reaches another machine, where nothing is undone",
    "cat ~/.ssh/config: it is secret and cannot be read",
    "cp dist/app ~/bin/: a rule asks before this",
    "kubectl get pods: it would run `kubectl get pods`: it reaches a cluster, where nothing is undone",
    "systemctl status nginx: it would run `systemctl status nginx`: it reaches services of this machine, where nothing is undone",
    "cat .env: it is secret and cannot be read",
  ]);
});

it("names the rule that denies a secret", async () => {
  await using fixture = await openFixture();
  const { verdict, record } = await fixture.explain("cat .env");
  expect([verdict, record.rule, record.source]).toEqual(["deny", "secret .env", "built-in"]);
});

it("gives commands that only read a read-only view", async () => {
  await using fixture = await openFixture();
  const views: string[] = [];
  for (const { kind, command } of usualCommands()) {
    if (kind !== "read") continue;
    const { parts } = await fixture.explain(command);
    const readsOnly = parts.every(({ part }) => part.kind !== "run" || part.readsOnly);
    if (!readsOnly) views.push(command);
  }
  expect(views).toEqual([
    "node -p \"require('./package.json').version\"",
    'python3 -c "import sys; print(sys.version)"',
    "npx tsc --noEmit",
    "python3 -m py_compile app.py && echo ok",
    "cargo metadata --format-version 1 --offline | head -c 300",
    "go vet ./...",
    "openssl x509 -in cert.pem -noout -dates",
  ]);
});
