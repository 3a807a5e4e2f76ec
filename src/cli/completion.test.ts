import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launcher } from "../../test/support/built-program.ts";
import { type CliWorkspace, cliWorkspace } from "../../test/support/cli-workspace.ts";
import { hasTerminals, onTerminal } from "../../test/support/pseudo-terminal.ts";
import { start, turnEnd, user } from "../../test/support/session-records/entries.ts";
import { openToolcrib } from "../toolcrib/index.ts";
import { WorkspaceJournal } from "../toolcrib/workspace-journal.ts";
import { commands } from "./commands/commands.ts";
import { completionScript } from "./completion.ts";

describe("toolcrib completion words", () => {
  let fixture: CliWorkspace;
  beforeAll(() => {
    fixture = cliWorkspace({ ANTHROPIC_API_KEY: "x", TOOLCRIB_MODEL: "ollama/llama:8b" });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  /** The completion of the last word: the files that the shell adds, then the candidates. */
  async function complete(...words: readonly string[]): Promise<readonly string[]> {
    const { stdout, stderr } = await fixture.run("completion", "words", "--", ...words);
    expect(stderr).toBe("");
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t")[0]!);
  }

  it("completes commands and subcommands", async () => {
    expect(await complete("")).toEqual(["words", ...commands.map(({ name }) => name), "--help", "--version"]);
    expect(await complete("completi")).toEqual(["words", "completion"]);
    expect(await complete("--v")).toEqual(["words", "--version"]);
    expect(await complete("policy", "t")).toEqual(["words", "test", "trust"]);
    expect(await complete("policy", "--rule", "x", "un")).toEqual(["words", "untrust"]);
    expect(await complete("nonsense", "")).toEqual(["words"]);
  });

  it("completes tools with dots, or as the dialect names them", async () => {
    expect(await complete("call", "search.")).toEqual(["words", "search.grep", "search.glob"]);
    expect(await complete("call", "--mode=yolo", "search.gr")).toEqual(["words", "search.grep"]);
    expect(await complete("call", "--dialect", "claude-code", "Gr")).toEqual(["words", "Grep"]);
    expect(await complete("log", "--tool", "git.st")).toEqual(["words", "git.status", "git.stage"]);
    expect(await complete("help", "to")).toEqual([
      "words",
      "tools",
      "tour",
      "tools.find",
      "tools.call",
      "tools.script",
    ]);
  });

  it("completes options and their values", async () => {
    expect(await complete("tools", "--d")).toEqual(["words", "--dialect"]);
    expect(await complete("call", "file.read", "--mode", "")).toEqual([
      ...["words", "safe", "cautious", "paranoid", "yolo"],
    ]);
    expect(await complete("call", "file.read", "--mode=pa")).toEqual(["words", "--mode=paranoid"]);
    expect(await complete("paths", "-C", "x")).toEqual(["folders"]);
    expect(await complete("call", "--rule-file", "")).toEqual(["files"]);
  });

  it("completes the arguments of the tool that was typed, and their values", async () => {
    expect(await complete("call", "git.log", "--p")).toEqual(["words", "--path"]);
    expect(await complete("call", "git.log", "--path", "src/")).toEqual(["files"]);
    expect(await complete("call", "file.read", "REA")).toEqual(["files"]);
    expect(await complete("call", "shell.run", "npm test", "--cwd", "")).toEqual(["folders"]);
    // A switch takes no value, and the tool's own --mode comes after a lone --.
    expect(await complete("call", "search.grep", "x", "--hidden", "--m")).toEqual([
      ...["words", "--multiline", "--max-per-file", "--mode"],
    ]);
    expect(await complete("call", "search.grep", "x", "--", "--mode", "")).toEqual([
      ...["words", "content", "files", "count"],
    ]);
    expect(await complete("call", "search.grep", "x", "--", "--mode=f")).toEqual(["words", "--mode=files"]);
    expect(await complete("call", "no.such", "--")).toEqual(["words"]);
  });

  it("creates nothing before there is a journal", async () => {
    expect(await complete("log", "show", "c")).toEqual(["words"]);
    expect(await complete("approve", "a")).toEqual(["words"]);
    expect(existsSync(join(fixture.home, "workspaces"))).toBe(false);
  });

  it("completes call, session, checkpoint and approval ids, and models, without control characters", async () => {
    const journal = new WorkspaceJournal({ state: fixture.home, workspace: fixture.workspace });
    journal.conversations.append("session_ab1", [start, user(1, "Say\t\u001b[2J\nso"), turnEnd(1)]);
    journal.conversations.append("session_\u001b[2J", [start, user(1, "Hi"), turnEnd(1)]);
    journal.close();
    await using crib = await openServer(fixture);
    const { callId } = await crib.call("file.write", { path: "a.txt", content: "one\n" });
    await crib.call("journal.checkpoint", { name: "before-all" });
    await crib.call("file.delete", { path: "a.txt" });
    const { id } = crib.approvals.list()[0]!;
    expect(await complete("log", "show", "c")).toContain(callId);
    expect(await complete("undo", callId.slice(0, -2))).toEqual(["words", callId]);
    expect(await complete("undo", "--to", "")).toEqual(["words", "before-all"]);
    expect(await complete("diff", "bef")).toEqual(["words", "before-all"]);
    expect(await complete("sessions", "show", "")).toEqual(["words", "last", "session_ab1"]);
    expect(await complete("sessions", "rm", "session_ab1", "l")).toEqual(["words", "last"]);
    expect(await complete("chat", "--resume", "s")).toEqual(["words", "session_ab1"]);
    expect(await complete("log", "--session", crib.session.slice(0, -2))).toEqual(["words", crib.session]);
    expect(await complete("approve", "")).toEqual(["words", id]);
    expect(await complete("run", "-m", "")).toEqual([
      ...["words", "ollama/llama:8b", expect.stringMatching(/^anthropic\//), start.model],
    ]);
    const { stdout } = await fixture.run("completion", "words", "--", "sessions", "show", "session");
    expect(stdout).toBe("words\nsession_ab1\tSay<U+0009><U+001B>[2J<U+000A>so\n");
  });
});

async function openServer(fixture: CliWorkspace) {
  const crib = await openToolcrib({
    workspace: fixture.workspace,
    rules: ["ask delete **"],
    stateDirectory: fixture.home,
    configDirectory: join(fixture.home, "config"),
    pendingApprovals: true,
  });
  return Object.assign(crib, { [Symbol.asyncDispose]: () => crib.close() });
}

const shells = {
  bash: ["bash", "--norc", "--noprofile", "-i"],
  zsh: ["zsh", "-f", "-i"],
  fish: ["fish", "--no-config", "-i"],
} as const;

/** The commands that load the script `completion` and set a prompt. */
const preparations = {
  bash: "PS1='ready> '; . ./completion",
  zsh: "autoload -U compinit; compinit -u -D; PS1='ready> '; . ./completion",
  fish: "function fish_prompt; echo -n 'ready> '; end; source ./completion",
} as const;

for (const shell of ["bash", "zsh", "fish"] as const) {
  const isInstalled = spawnSync(shell, ["-c", "true"]).status === 0;
  it.runIf(isInstalled && hasTerminals)(`completes what is typed in ${shell}`, { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    fixture.write("completion", completionScript(shell));
    fixture.write("my notes.txt", "");
    // Answers the script as toolcrib does, and otherwise prints its arguments, one in each pair of brackets.
    const program = join(fixture.workspace, "toolcrib");
    writeFileSync(
      program,
      `#!/bin/sh\nif [ "$1" = completion ]; then exec '${process.execPath}' '${launcher}' "$@"; fi\nprintf 'ran '; printf '[%s]' "$@"; echo\n`,
    );
    chmodSync(program, 0o755);
    const { screen } = await onTerminal(shells[shell], {
      cwd: fixture.workspace,
      env: {
        ...process.env,
        PATH: `${fixture.workspace}${delimiter}${process.env.PATH}`,
        TOOLCRIB_HOME: fixture.home,
        HOME: fixture.home,
        TERM: "dumb",
      },
      typed: [
        ["", `${preparations[shell]}; echo pre''pared\n`],
        ["prepared", "toolcrib call search.gr\t--only-m\tTODO --mode=pa\t--path my\t\n"],
        // The end of the output: the shell echoes keys that are typed earlier in the middle of it.
        ["notes.txt]", "exit\n"],
      ],
    });
    expect(screen).toContain(
      "ran [call][search.grep][--only-matching][TODO][--mode=paranoid][--path][my notes.txt]",
    );
  });
  if (!isInstalled) it.skip(`completes what is typed in ${shell} (skipped: not installed)`, () => {});
}
