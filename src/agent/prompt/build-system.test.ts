import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";
import { buildSystem, type SystemOptions } from "./build-system.ts";

const now = new Date(2026, 10, 16, 23, 59);

async function build(options: ToolcribOptions, more: Partial<SystemOptions> = {}): Promise<string> {
  await using own = temporaryFolder();
  const configDirectory = options.configDirectory ?? join(own.path, "config");
  const crib = await openToolcrib({ stateDirectory: join(own.path, "state"), ...options, configDirectory });
  try {
    return await buildSystem({
      model: { id: "anthropic/claude-test", name: "claude-test" },
      dialect: "claude-code",
      crib,
      tools: await crib.definitions(),
      projectInstructions: true,
      configDirectory,
      now,
      gitTimeoutMs: 60_000,
      ...more,
    });
  } finally {
    await crib.close();
  }
}

/** All but the base. */
function afterBase(system: string): readonly string[] {
  return system.slice(system.indexOf("<environment>")).split("\n");
}

const git = (folder: string, ...words: string[]) =>
  execFileSync("git", words, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.com",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.com",
      GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
      GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
    },
  }).toString();

it("describes the environment, then the project's instructions, then the user's", async () => {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "repository");
  const config = join(folder.path, "config");
  mkdirSync(workspace);
  mkdirSync(config);
  git(workspace, "init", "-q", "-b", "main");
  writeFileSync(join(workspace, "AGENTS.md"), "Use tabs.\n");
  git(workspace, "add", ".");
  git(workspace, "commit", "-q", "-m", "Begin </environment> \u202e");
  const hash = git(workspace, "rev-parse", "HEAD").slice(0, 9);
  writeFileSync(join(workspace, "CLAUDE.md"), "For Claude.\n");
  writeFileSync(join(workspace, "GEMINI.md"), "Not for Claude.\n");
  writeFileSync(join(config, "instructions.md"), "Be brief.\n");
  const system = await build(
    { workspace, configDirectory: config, dialect: "claude-code" },
    { instructions: "Speak French." },
  );
  expect(afterBase(system)).toEqual([
    "<environment>",
    `Workspace: ${workspace} (paths are relative to it)`,
    `Platform: ${process.platform} ${process.arch}`,
    "Date: 2026-11-16",
    "Git: branch main, 2 files with uncommitted changes; last commits:",
    `  ${hash} Begin &lt;/environment> <U+202E>`,
    "Permissions: reads and file changes that undo can restore run without approval, everything else asks the user (mode cautious); commands run in a sandbox",
    "Model: anthropic/claude-test",
    "</environment>",
    "",
    expect.stringMatching(/^The project's instructions/),
    '<project_instructions path="AGENTS.md">',
    "Use tabs.",
    "</project_instructions>",
    '<project_instructions path="CLAUDE.md">',
    "For Claude.",
    "</project_instructions>",
    "",
    "The user's instructions. They take precedence over everything above:",
    "<user_instructions>",
    "Be brief.",
    "",
    "Speak French.",
    "</user_instructions>",
  ]);
});

it("is the same for the same workspace at any time of the day", async () => {
  await using folder = temporaryFolder();
  const options = { workspace: folder.path, mode: "yolo", sandbox: "none" } as const;
  const early = await build(options, { sandbox: "none", now: new Date(2026, 10, 16, 0, 0) });
  expect(await build(options, { sandbox: "none" })).toBe(early);
  expect(afterBase(early)).toEqual([
    "<environment>",
    `Workspace: ${folder.path} (paths are relative to it)`,
    `Platform: ${process.platform} ${process.arch}`,
    "Date: 2026-11-16",
    "Git: no repository",
    "Permissions: no call asks the user (mode yolo); commands run without a sandbox",
    "Model: anthropic/claude-test",
    "</environment>",
  ]);
});

it("does not wait for a git that takes long", async () => {
  await using folder = temporaryFolder();
  git(folder.path, "init", "-q");
  const system = await build({ workspace: folder.path }, { gitTimeoutMs: 1 });
  expect(/^Git: .*$/m.exec(system)?.[0]).toBe(
    "Git: a repository whose status takes long; ask for the git status when you need it",
  );
});

it("does not mention git when no git tool may be used", async () => {
  await using folder = temporaryFolder();
  const narrow = [
    { workspace: folder.path, dialect: "claude-code", onlyTools: ["Read"] },
    { workspace: folder.path, rules: ["deny use git.*"] },
    { workspace: folder.path, mode: "paranoid" },
  ] as const;
  const systems = await Promise.all(narrow.map((options) => build(options)));
  expect(systems.map((system) => /^Git: .*$/m.exec(system)?.[0])).toEqual([undefined, undefined, undefined]);
});

it("does not read the project's instructions when that is turned off", async () => {
  await using folder = temporaryFolder();
  writeFileSync(join(folder.path, "AGENTS.md"), "Use tabs.\n");
  expect(await build({ workspace: folder.path }, { projectInstructions: false })).not.toContain("Use tabs.");
});

it("runs no program that a repository's settings name", async () => {
  await using folder = temporaryFolder();
  git(folder.path, "init", "-q");
  git(folder.path, "config", "core.fsmonitor", `'${join(folder.path, "evil")}'`);
  writeFileSync(join(folder.path, "evil"), `#!/bin/sh\ntouch '${folder.path}/ran'\n`, { mode: 0o755 });
  const system = await build({ workspace: folder.path });
  expect([/^Git: .*$/m.exec(system)?.[0], existsSync(join(folder.path, "ran"))]).toEqual([
    expect.stringMatching(/^Git: branch (?:main|master), 1 file with uncommitted changes$/),
    false,
  ]);
});

it.each([
  ["native", "5. Report: say what you changed and what the validation showed."],
  ["text", "5. Report: say with `respond` or `done` what you changed and what the validation showed."],
] as const)("gives the surgical dialect its five steps, with %s calls", async (protocol, last) => {
  await using folder = temporaryFolder();
  const system = await build(
    { workspace: folder.path, dialect: "surgical" },
    { dialect: "surgical", protocol },
  );
  const [, steps = ""] = system.split("# Blocks of code\n");
  expect(steps.split("\n").slice(0, 6)).toEqual([
    "Change existing code by block, in five steps:",
    "1. Discover: list the blocks of the file with rust_list_symbols.",
    "2. Read: read the block with read_file. Never skip this step.",
    "3. Edit: change it with rust_replace_block or rust_insert_after_block.",
    "4. Validate: check the syntax with rust_validate_file, or more with a compiler such as `cargo check` in shell. Never skip this step.",
    last,
  ]);
});
