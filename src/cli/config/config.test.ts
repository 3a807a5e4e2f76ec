import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { configSchema } from "../../config/schema.ts";
import { settings } from "../../config/settings.ts";
import { setTomlKey } from "../../config/toml-text.ts";

const userFile = (cli: { readonly home: string }) => join(cli.home, "config/config.toml");
const projectFile = ".toolcrib/config.toml";

async function listed(cli: { run(...words: readonly string[]): Promise<{ stdout: string }> }) {
  const { stdout } = await cli.run("config", "list", "--json");
  const { settings: all, ...rest } = JSON.parse(stdout);
  return {
    ...rest,
    of: Object.fromEntries(
      all.map(({ key, value, origin }: Record<string, string>) => [key, [value, origin]]),
    ),
  };
}

describe("toolcrib config", () => {
  it("sets, gets, lists and removes a setting, and keeps comments", async () => {
    await using cli = cliWorkspace();
    cli.write(userFile(cli), '# mine\nmode = "yolo" # for now\n\n[limits]\n# per turn\nrounds = 5\n');
    expect(await cli.run("config", "set", "mode", "safe")).toMatchObject({ exit: 0, stderr: "" });
    await cli.run("config", "set", "model", "openai/gpt-5");
    await cli.run("config", "set", "limits.cost", "2.5");
    await cli.run("config", "unset", "limits.rounds");
    expect(cli.read(userFile(cli))).toBe(
      '# mine\nmode = "safe" # for now\n\nmodel = "openai/gpt-5"\n\n[limits]\ncost = 2.5\n# per turn\n',
    );
    expect((await cli.run("config", "get", "limits.cost")).stdout).toBe("2.5\n");
    const { of } = await listed(cli);
    expect([of.mode, of.model, of["limits.rounds"]]).toEqual([
      ["safe", `${userFile(cli)}:2`],
      ["openai/gpt-5", `${userFile(cli)}:4`],
      [200, "default"],
    ]);
  });

  it("prefers the command line, then the environment, the project, the user and the default", async () => {
    await using cli = cliWorkspace({ TOOLCRIB_SANDBOX: "none" });
    cli.write(userFile(cli), 'mode = "cautious"\nsandbox = "auto"\ntheme = "none"\n');
    cli.write(projectFile, 'mode = "paranoid"\nsandbox = "bwrap"\n');
    const { of } = await listed(cli);
    expect([of.mode, of.sandbox, of.theme, of.notifications]).toEqual([
      ["paranoid", `${projectFile}:1`],
      ["none", "TOOLCRIB_SANDBOX"],
      ["none", `${userFile(cli)}:3`],
      ["auto", "default"],
    ]);
    cli.write("note.txt", "text\n");
    expect((await cli.run("call", "file.read", "note.txt")).exit).toBe(4);
    expect((await cli.run("call", "file.read", "note.txt", "--mode", "safe")).exit).toBe(0);
  });

  it("never lets a project choose the embedding model, not even a trusted one", async () => {
    await using cli = cliWorkspace();
    cli.write(projectFile, 'embeddings = "openai/evil"\ntheme = "none"\n');
    await cli.feed("y\n", "config", "trust", "--yes");
    const { of, warnings } = await listed(cli);
    expect([of.embeddings, warnings]).toEqual([
      [null, "default"],
      expect.arrayContaining([
        `${projectFile}:1: a project cannot choose where code is sent; only your own config.toml can`,
      ]),
    ]);
  });

  it("lets an untrusted project only tighten, until its exact content is trusted", async () => {
    await using cli = cliWorkspace();
    cli.write(userFile(cli), 'mode = "safe"\n[limits]\ncost = 1\n');
    const widening = 'model = "evil/x"\nmode = "yolo"\nsandbox = "none"\n[limits]\ncost = 9\nrounds = 3\n';
    cli.write(projectFile, widening);
    const before = await listed(cli);
    expect([
      before.project,
      before.of.mode,
      before.of.sandbox[0],
      before.of.model[0],
      before.of["limits.cost"][0],
      before.of["limits.rounds"][0],
    ]).toEqual(["untrusted", ["safe", `${userFile(cli)}:1`], "auto", null, 1, 3]);
    expect(before.warnings).toEqual([
      ".toolcrib/config.toml is not trusted, so these settings are ignored: model, mode, sandbox, limits.cost. To review and trust it: toolcrib config trust",
    ]);
    expect((await cli.run("call", "file.write", "--path", "a", "--content", "b")).exit).toBe(4);
    const unasked = await cli.run("config", "trust");
    expect([unasked.exit, unasked.stderr]).toEqual([4, expect.stringContaining('| mode = "yolo"')]);
    expect((await cli.run("config", "trust", "--yes")).stdout).toBe("Trusted until the file changes.\n");
    expect((await listed(cli)).of.mode).toEqual(["yolo", `${projectFile}:2`]);
    cli.write(projectFile, `${widening}# changed\n`);
    const after = await listed(cli);
    expect([after.project, after.of.mode[0], after.warnings[0]]).toEqual([
      "changed",
      "safe",
      expect.stringContaining("has changed since you trusted it"),
    ]);
  });

  it("names what is wrong with file and line, and uses the rest", async () => {
    await using cli = cliWorkspace();
    cli.write(
      userFile(cli),
      'mdoe = "safe"\nmode = "saef"\ntheme = "none"\nmcp_servers = 3\n[limits]\nrounds = "many"\ncosts = 1\n[rules]\n"allow run **" = 1\n',
    );
    cli.write(projectFile, 'mode = "paranoid\n');
    const { of, warnings } = await listed(cli);
    const file = userFile(cli);
    expect([of.mode[0], of.theme[0]]).toEqual(["cautious", "none"]);
    expect(warnings).toEqual([
      expect.stringMatching(/^\.toolcrib\/config\.toml:1: /),
      `${file}:1: unknown key mdoe; did you mean mode?`,
      `${file}:4: mcp_servers must be a table of servers by name`,
      `${file}:7: unknown key limits.costs; did you mean limits.cost?`,
      `${file}:8: unknown key rules`,
      `${file}:2: mode must be one of safe, cautious, paranoid, yolo; did you mean safe?`,
      `${file}:6: limits.rounds must be a whole number from 1`,
    ]);
    cli.write("note.txt", "text\n");
    const { exit, stdout, stderr } = await cli.run("call", "file.read", "note.txt");
    expect([exit, stdout.includes("text"), stderr.split("\n").length]).toEqual([0, true, 8]);
    const unknown = await cli.run("config", "set", "moed", "safe");
    expect([unknown.exit, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(/^Unknown key moed; did you mean mode\?\nKeys: model, /),
    ]);
    expect((await cli.run("config", "set", "mode", "sfae")).stderr).toContain("did you mean safe?");
  });

  it("ignores hostile files: a link out of the workspace, a huge file, control characters", async () => {
    await using cli = cliWorkspace();
    cli.write(userFile(cli), 'mode = "safe"\n');
    cli.write(join(cli.home, "elsewhere.toml"), 'mode = "paranoid"\n');
    cli.write(".toolcrib/x", "");
    symlinkSync(join(cli.home, "elsewhere.toml"), join(cli.workspace, projectFile));
    expect((await listed(cli)).of.mode[0]).toBe("safe");
    await using other = cliWorkspace();
    other.write(projectFile, `mode = "paranoid"\n# ${"x".repeat(300_000)}\n`);
    const huge = await listed(other);
    expect([huge.of.mode[0], huge.warnings.length]).toEqual(["cautious", 1]);
    await using third = cliWorkspace();
    third.write(projectFile, 'model = "a\\u001b[2Jb"\n"k\\u001b[31m" = 1\n');
    const shown = await listed(third);
    expect(shown.of.model[0]).toBe(null);
    expect(JSON.stringify(shown.warnings)).not.toContain("\\u001b");
  });

  it("suggests the subcommand that a setting alone lacks", async () => {
    await using cli = cliWorkspace();
    const ends = await Promise.all([cli.run("config", "mode"), cli.run("config", "limits.cost", "2")]);
    const [mode, limit] = ends.map(({ exit, stderr }) => [exit, ...stderr.trimEnd().split("\n")]);
    expect([mode, limit]).toEqual([
      [
        2,
        "mode is a setting, not a subcommand",
        "To print it: toolcrib config get mode. To change it: toolcrib config set mode safe",
      ],
      [
        2,
        "limits.cost is a setting, not a subcommand",
        "To print it: toolcrib config get limits.cost. To change it: toolcrib config set limits.cost 2",
      ],
    ]);
  });

  it("writes the project's file on request, and refuses what a tool runs", async () => {
    await using cli = cliWorkspace();
    await cli.run("config", "set", "mode", "safe", "--project");
    expect(cli.read(projectFile)).toBe('mode = "safe"\n');
    await using tool = cliWorkspace({ TOOLCRIB_RUN: "1" });
    expect((await tool.run("config", "set", "mode", "yolo")).exit).toBe(3);
  });
});

it.runIf(hasTerminals)("opens the file in the user's editor, and checks what was written", async () => {
  await using cli = cliWorkspace();
  cli.write("editor.sh", 'cp "$2" seen.toml; printf "%s" "$1" > "$2"; exit 0\n');
  const edit = (text: string, ...words: readonly string[]) =>
    cli.onTerminal(["config", "edit", ...words], [], {
      EDITOR: `sh editor.sh '${text}'`,
      VISUAL: undefined,
    });
  const good = await edit('mode = "safe"');
  expect([good.exit, good.screen]).toEqual([0, expect.stringMatching(/config\.toml is valid\./)]);
  expect(cli.read("seen.toml")).toContain('# mode = "cautious"');
  const wrong = await edit('mod = "safe"', "--project");
  expect(wrong.screen).toMatch(/\.toolcrib\/config\.toml:1: .*mod.*mode/);
  expect([cli.read(userFile(cli)), cli.read(projectFile)]).toEqual(['mode = "safe"', 'mod = "safe"']);
  const piped = await cli.run("config", "edit");
  expect([piped.exit, piped.stderr]).toEqual([
    expect.any(Number),
    `There is no terminal for an editor\nThe file is ${userFile(cli)}\n`,
  ]);
});

it("uses the model, the mode and the limits of config.toml in a session, and its MCP servers", async () => {
  await using fixture = await cliWithModel([
    { calls: [{ name: "exec_command", input: { cmd: "touch made" } }] },
    { text: "Done." },
  ]);
  fixture.write(
    userFile(fixture),
    'mode = "paranoid"\n[limits]\nrounds = 1\n[mcp_servers.none]\ncommand = "no-such-program"\n',
  );
  const { exit, stderr } = await fixture.run("run", "make it", "--json");
  expect([exit, stderr.includes("MCP server none")]).toEqual([expect.any(Number), true]);
  expect(fixture.server.requests.length).toBe(1);
});

it("edits only what it can verify", async () => {
  const set = (text: string) => setTomlKey(text, "mode", "safe", "config.toml").catch(({ code }) => code);
  expect(await set("")).toBe('mode = "safe"\n');
  expect(await set("[limits]\r\nrounds = 1\r\n")).toBe('mode = "safe"\n\n[limits]\r\nrounds = 1\r\n');
  expect(await set("\"mode\" = 'yolo'")).toBe('"mode" = "safe"');
  expect(await set('note = """\nmode = "yolo"\n"""\n')).toBe(
    'note = """\nmode = "yolo"\n"""\nmode = "safe"\n',
  );
  expect(await set("mode = [\n1,\n]\n")).toBe("unsupported");
});

it("has a JSON Schema that names every setting", () => {
  const published = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../docs/config.schema.json"), "utf8"),
  );
  // To update it: node src/cli/main.ts config schema > docs/config.schema.json
  expect(published).toEqual(JSON.parse(JSON.stringify(configSchema())));
  const { properties } = published;
  for (const { key } of settings) {
    const [first = "", second] = key.split(".");
    expect(second === undefined ? properties[first] : properties[first].properties[second]).toBeDefined();
  }
});
