import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "./commands/commands.ts";
import { writeCompletion } from "./completion.ts";

const tools = [
  ...["file.read", "file.write", "file.list", "file.delete", "file.move"],
  ...["edit.replace", "edit.patch", "edit.diff", "edit.preview", "edit.smart"],
  ...["search.grep", "search.glob", "document.read"],
  ...["process.start", "process.list", "process.output", "process.input", "process.wait", "process.stop"],
  ...["git.status", "git.diff", "git.log", "git.show", "git.blame", "git.stage", "git.commit", "git.branch"],
  ...["journal.undo", "journal.diff", "journal.checkpoint"],
  ...["transaction.begin", "transaction.check", "transaction.commit", "transaction.rollback"],
  ...["notebook.edit", "math.calculate", "time.now", "text.echo", "tools.find", "tools.call"],
  ...["web.fetch", "web.search"],
];
const isInstalled = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib completion "));
  for (const shell of ["bash", "zsh", "fish"] as const) {
    writeFileSync(join(folder, shell), writeCompletion(shell, commands));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The completions of bash for the last word; bash treats `=` as a separate word. */
function completeInBash(...lines: (readonly string[])[]): string[][] {
  const script = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${quoted}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _toolcrib; echo "\${COMPREPLY[*]}"`;
  });
  const answer = execFileSync("bash", ["-c", [`source "${folder}/bash"`, ...script].join("\n")]);
  return `${answer}`
    .slice(0, -1)
    .split("\n")
    .map((line) => line.split(" ").filter((word) => word !== ""));
}

describe("in bash", () => {
  it("completes commands", () => {
    expect(completeInBash(["toolcrib", ""], ["toolcrib", "c"], ["toolcrib", "--v"])).toEqual([
      [...commands.map(({ name }) => name), "--help", "--version"],
      ["chat", "call", "checkpoint", "config", "completion"],
      ["--version"],
    ]);
  });

  it("completes the arguments of a command (tools, shells, commands), but only once", () => {
    expect(
      completeInBash(
        ["toolcrib", "call", "file."],
        ["toolcrib", "call", "--mode", "yolo", "search"],
        ["toolcrib", "call", "--mode", "=", "yolo", "search"],
        ["toolcrib", "call", "file.read", "s"],
        ["toolcrib", "completion", ""],
        ["toolcrib", "help", "t"],
      ),
    ).toEqual([
      tools.filter((tool) => tool.startsWith("file.")),
      ["search.grep", "search.glob"],
      ["search.grep", "search.glob"],
      [],
      ["bash", "zsh", "fish", "--help", "-h"],
      ["tools", "tour", ...tools.filter((tool) => tool.startsWith("t"))],
    ]);
  });

  it("completes options and their values, also after an equals sign", () => {
    expect(
      completeInBash(
        ["toolcrib", "log", "--"],
        ["toolcrib", "call", "file.read", "--mode", ""],
        ["toolcrib", "call", "file.read", "--mode", "="],
        ["toolcrib", "call", "file.read", "--mode", "=", "pa"],
        ["toolcrib", "tools", "--dialect", "tool"],
      ),
    ).toEqual([
      "--limit --session --tool --failed --since --follow --all --head --workspace --json --help".split(" "),
      ["safe", "cautious", "paranoid", "yolo"],
      ["safe", "cautious", "paranoid", "yolo"],
      ["paranoid"],
      ["toolcrib"],
    ]);
  });

  it("completes folders and files, and leaves the tool's arguments to the shell", () => {
    expect(
      completeInBash(
        ["toolcrib", "paths", "-C", folder.slice(0, -1)],
        ["toolcrib", "policy", "test", "--rules", join(folder, "ba")],
        ["toolcrib", "call", "x", "--", "--"],
      ),
    ).toEqual([folder.split(" "), join(folder, "bash").split(" "), []]);
  });

  it("completes subcommands", () => {
    expect(completeInBash(["toolcrib", "policy", "t"], ["toolcrib", "policy", "--rule", "x", "un"])).toEqual([
      ["test", "trust"],
      ["untrust"],
    ]);
  });
});

describe.each(["zsh", "fish"].filter(isInstalled))("in %s", (shell) => {
  it("is a script the shell can read", () => {
    expect(spawnSync(shell, ["-n", join(folder, shell)], { encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

describe.each(["fish"].filter(isInstalled))("in %s", (shell) => {
  it("completes commands, tools and values", () => {
    const complete = (line: string) =>
      execFileSync(shell, ["-c", `source "${folder}/fish"; complete -C "${line}"`], { encoding: "utf8" })
        .trim()
        .split("\n")
        .map((offer) => offer.split("\t")[0]);
    expect([
      complete("toolcrib ca"),
      complete("toolcrib call search."),
      complete("toolcrib call file.read --mode "),
    ]).toEqual([["call"], ["search.glob", "search.grep"], ["cautious", "paranoid", "safe", "yolo"]]);
  });
});
