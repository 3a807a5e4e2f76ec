import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { start, turnEnd, user } from "../../../test/support/session-records/entries.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { commands } from "../commands/commands.ts";

/** A target that cannot be reached, so nothing that succeeds has used it. */
const target = "command:/missing/program";
const unreached = "/missing/program, which reaches command:/missing/program, cannot be started";

/** What each command does in a folder that config.toml sets to the target. */
const behaviours: Readonly<
  Record<string, { words?: string[]; does: "connects" | "names" | "refuses" | "ignores" }>
> = {
  acp: { words: ["--help"], does: "ignores" },
  approve: { words: ["--json"], does: "ignores" },
  call: { words: ["file.read", "poem.txt"], does: "connects" },
  chat: { does: "connects" },
  checkpoint: { does: "connects" },
  completion: { words: ["bash"], does: "ignores" },
  config: { does: "ignores" },
  console: { words: ["--help"], does: "ignores" },
  diff: { words: ["call_1"], does: "connects" },
  doctor: { words: ["--sandbox", "none"], does: "connects" },
  fleet: { words: ["status"], does: "ignores" },
  grants: { does: "ignores" },
  help: { does: "ignores" },
  index: { does: "connects" },
  log: { does: "names" },
  mcp: { words: ["--help"], does: "ignores" },
  models: { words: ["--help"], does: "ignores" },
  paths: { does: "names" },
  policy: { words: ["show"], does: "connects" },
  quarantine: { does: "refuses" },
  redo: { does: "connects" },
  rpc: { words: ["--schema"], does: "ignores" },
  run: { words: ["task"], does: "connects" },
  sessions: { does: "names" },
  state: { does: "ignores" },
  stop: { does: "names" },
  target: { words: ["list", target], does: "connects" },
  tools: { does: "ignores" },
  tour: { does: "refuses" },
  undo: { does: "connects" },
};

let here: CliWorkspace;
beforeAll(() => {
  here = cliWorkspace({ TOOLCRIB_MODEL: "openai/gpt-5", OPENAI_API_KEY: "none" });
  here.write("poem.txt", "local poem\n");
  configure(`[targets]\n${JSON.stringify(here.workspace)} = "${target}"\nbuild = "${target}"\n`);
});
afterAll(() => here[Symbol.asyncDispose]());

function configure(text: string): void {
  mkdirSync(join(here.home, "config"), { recursive: true });
  writeFileSync(join(here.home, "config/config.toml"), text, { mode: 0o600 });
}

describe("a folder that config.toml sets to a target", () => {
  it("is known to every command", () => {
    expect(Object.keys(behaviours)).toEqual(commands.map(({ name }) => name).sort());
  });

  it.each(Object.entries(behaviours))(
    "is never used by `toolcrib %s` on this machine",
    async (name, { words = [], does }) => {
      const { exit, stdout, stderr } = await here.run(name, ...words);
      const output = `${stdout}${stderr}`;
      expect(output).not.toContain("local poem");
      if (does === "connects")
        expect([exit === 0, output]).toEqual([false, expect.stringContaining(unreached)]);
      if (does === "names") expect([exit, output]).toEqual([0, expect.stringContaining(target)]);
      if (does === "refuses")
        expect([exit, stderr]).toEqual([
          2,
          expect.stringContaining(
            `toolcrib ${name} works on this machine only, and ${here.workspace} is set to ${target}`,
          ),
        ]);
      if (does === "ignores") expect(exit).toBe(0);
    },
  );

  it("applies to the folders below it, through links, and with --workspace", async () => {
    mkdirSync(join(here.workspace, "below"));
    symlinkSync(join(here.workspace, "below"), join(here.home, "link"));
    for (const folder of [join(here.workspace, "below"), join(here.home, "link")])
      expect((await here.run("paths", "-C", folder)).stdout).toContain(target);
    expect((await here.run("paths", "-C", here.home)).stdout).not.toContain(target);
  });

  it("is refused when it is a link", async () => {
    await using project = cliWorkspace();
    const link = join(project.workspace, "link");
    symlinkSync("..", link);
    project.write(
      join(project.home, "config/config.toml"),
      `[targets]\n${JSON.stringify(link)} = "${target}"\n`,
    );
    for (const folder of [project.workspace, link]) {
      const { exit, stderr } = await project.run("paths", "-C", folder);
      const problem = `targets.${JSON.stringify(link)} is a link to ${dirname(project.workspace)}`;
      expect([exit, stderr]).toEqual([2, expect.stringContaining(problem)]);
    }
    expect(await project.run("paths", "-C", "/")).toMatchObject({ exit: 0 });
  });

  it("is refused when it has two keys", async () => {
    await using project = cliWorkspace();
    const { workspace, home } = project;
    project.write(
      join(home, "config/config.toml"),
      `[targets]\n${JSON.stringify(workspace)} = "${target}"\n${JSON.stringify(`${workspace}/`)} = "ssh:host"\n`,
    );
    const { exit, stderr } = await project.run("paths");
    const problem = `targets.${JSON.stringify(workspace)} and targets.${JSON.stringify(`${workspace}/`)} are the same folder`;
    expect([exit, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(await project.run("paths", "-C", home)).toMatchObject({ exit: 0 });
  });

  it("has the completions of the target", async () => {
    const complete = async (...words: readonly string[]) =>
      (await here.run("completion", "words", "--", ...words)).stdout;
    const journal = (workspace: string, session: string) => {
      const opened = new WorkspaceJournal({ state: here.home, workspace });
      opened.conversations.append(session, [start, user(1, "Hi"), turnEnd(1)]);
      opened.close();
    };
    journal(target, "session_there");
    journal(here.workspace, "session_here");
    expect(await complete("sessions", "show", "session")).toBe("words\nsession_there\tHi\n");
    expect(await complete("sessions", "show", "--target", "build", "session")).toContain("session_there");
    expect(await complete("sessions", "show", "--target", "local", "session")).toContain("session_here");
    expect(await complete("log", "--target", "")).toBe(`words\nbuild\t${target}\n`);
    expect(await complete("target", "list", "")).toBe(`words\nbuild\t${target}\n`);
  });

  it("is named by its target", async () => {
    const texts = [
      (await here.run("grants")).stderr,
      (await here.run("grants", "revoke", "none")).stderr,
      (await here.run("log", "show", "last")).stderr,
      (await here.run("undo", "--session", "session_none")).stderr,
      (await here.run("index", "status")).stdout,
    ];
    expect(texts).toEqual([
      `Nothing is allowed by "always" on ${target}.\n`,
      `No grant on ${target} has the id or the rule none\nTo list the grants, run: toolcrib grants --target '${target}'\n`,
      expect.stringContaining(`No call of ${target} is recorded\n`),
      expect.stringContaining(`No session of ${target} has the id "session_none"\n`),
      `${target} has no index.\n`,
    ]);
  });

  it("is used on this machine with --target local", async () => {
    const read = await here.run("call", "file.read", "poem.txt", "--target", "local");
    expect(read).toMatchObject({ exit: 0, stdout: "1 | local poem\n" });
  });
});

describe("a mistake in [targets]", () => {
  it.runIf(hasTerminals)("stops work, but not the commands that fix it", async () => {
    await using project = cliWorkspace();
    project.write(join(project.home, "config/config.toml"), `[targets]\nbuild = 1\n`);
    expect(await project.run("paths")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("targets.build must be a"),
    });
    const edited = await project.onTerminal(["config", "edit"], [], {
      VISUAL: undefined,
      EDITOR: "sed -i s/1/2/",
    });
    expect([edited.screen, readFileSync(join(project.home, "config/config.toml"), "utf8")]).toEqual([
      expect.stringContaining("targets.build"),
      "[targets]\nbuild = 2\n",
    ]);
  });
});

describe("--target NAME", () => {
  it("uses the target with this name", async () => {
    const { exit, stderr } = await here.run("call", "file.read", "poem.txt", "--target", "build");
    expect([exit, stderr]).toEqual([1, expect.stringContaining(unreached)]);
  });

  it("can be given to `toolcrib target`", async () => {
    const { exit, stderr } = await here.run("target", "list", "build");
    expect([exit, stderr]).toEqual([1, expect.stringContaining(unreached)]);
  });

  it("refuses a name that config.toml does not have", async () => {
    const { exit, stderr } = await here.run("log", "--target", "biuld");
    expect([exit, stderr]).toEqual([2, expect.stringContaining("No target is named biuld")]);
  });

  it.each(
    commands.filter(({ options }) => !options.some(({ name }) => name === "target")).map(({ name }) => name),
  )("is refused by `toolcrib %s`, which takes none", async (name) => {
    const { exit, stdout, stderr } = await here.run(name, "--target", target);
    expect([exit, stdout, stderr]).toEqual([
      2,
      "",
      expect.stringContaining(`toolcrib ${name} takes no --target: it works on this machine only`),
    ]);
  });
});

describe("a project's config.toml", () => {
  it("cannot send work to a target", async () => {
    await using project = cliWorkspace();
    project.write("poem.txt", "local poem\n");
    project.write(".toolcrib/config.toml", `[targets]\n${JSON.stringify(project.workspace)} = "${target}"\n`);
    const read = await project.run("call", "file.read", "poem.txt");
    expect(read).toMatchObject({ exit: 0, stdout: "1 | local poem\n" });
    expect(read.stderr).toContain("a project cannot choose a target; only your own config.toml can");
  });
});

describe("openToolcrib", () => {
  it.each([{ workspace: "/tmp" }, { extraRoots: { read: ["/tmp"] } }])(
    "refuses a target together with %o",
    async (other) => {
      const folders = { stateDirectory: here.home, configDirectory: join(here.home, "config") };
      await expect(openToolcrib({ target, ...other, ...folders })).rejects.toMatchObject({
        code: "invalid-input",
        message: expect.stringMatching(/^The options `target` and `\w+` cannot be combined$/),
      });
    },
  );
});
