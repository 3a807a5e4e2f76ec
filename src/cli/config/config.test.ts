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

  it.each([
    [
      'theme = "none"\nmode = "paraniod"',
      2,
      'mode = "paraniod" must be one of safe, cautious, paranoid, yolo; did you mean paranoid?',
      "toolcrib config set mode paranoid",
    ],
    ["mode = paranoid", 1, 'invalid value in: mode = paranoid; did you mean "paranoid"?'],
    ['modl = "paranoid"', 1, "unknown key modl; did you mean model?"],
    ['modle = "paranoid"', 1, "unknown key modle; did you mean model?"],
    ['sandbx = "bwrap"', 1, "unknown key sandbx; did you mean sandbox?"],
    ['[rules]\n"deny run **" = 1', 1, "unknown key rules"],
    ["[limits]\ncost = true", 2, "limits.cost = true must be a number"],
    ["[limits]\n\nrounds = -1", 3, "limits.rounds = -1 must be a whole number from 1"],
    ["[limits]\ncosts = 1", 2, "unknown key limits.costs; did you mean limits.cost?"],
    ["[hooks]\nPreTooluse = []", 2, "unknown key hooks.PreTooluse; did you mean hooks.PreToolUse?"],
    ['[[hooks.PreToolUse]]\ncomand = "guard"', 1, "hooks.PreToolUse.0.command is missing"],
    ['[[hooks.Stop]]\ncommand = "x"\nmatcher = "("', 3, "hooks.Stop.0.matcher must be a regular expression"],
    [
      '[mcp_servers.git]\ncommand = "x"\ntool = ["log"]',
      3,
      "unknown key mcp_servers.git.tool; did you mean mcp_servers.git.tools?",
    ],
    ['[mcp_servers.git]\nenv = "sk-secret"', 2, "mcp_servers.git.env must be a group of fields"],
    ["[mcp_servers.git]\nenv = sk-secret", 2, "invalid value in: env = …"],
    ['[targets]\nbox = "ssh"', 2, /^targets\.box is not a target: /],
  ] as const)(
    "stops every call for %j",
    async (text, line, message, fix: string = "toolcrib config edit") => {
      await using cli = cliWorkspace();
      cli.write("note.txt", "text\n");
      cli.write(userFile(cli), `${text}\n`);
      const call = await cli.run("call", "file.read", "note.txt");
      const explained = await cli.run("policy", "explain", "read note.txt");
      const at = `${userFile(cli)}:${line}: `;
      const lines = call.stderr.trimEnd().split("\n");
      const said = lines[0];
      const hint = lines.at(-1);
      expect([call.exit, call.stdout, explained.exit]).toEqual([2, "", 2]);
      expect(said!.startsWith(at)).toBe(true);
      if (typeof message === "string") expect(said).toBe(at + message);
      else expect(said!.slice(at.length)).toMatch(message);
      expect(hint!.endsWith(fix)).toBe(true);
    },
  );

  it.each([userFile, () => projectFile])(
    "is a problem for the doctor, in the file %#",
    { tags: "slow" },
    async (fileOf) => {
      await using cli = cliWorkspace();
      cli.write(fileOf(cli), '[targets]\nbox = "ssh"\n[hooks]\nStpo = []\n');
      const { exit, stdout } = await cli.run("doctor", "--json");
      const { findings } = JSON.parse(stdout) as { findings: readonly { about: string }[] };
      expect([exit, findings.filter(({ about }) => about === "settings")]).toEqual([
        1,
        expect.arrayContaining([
          {
            about: "settings",
            state: "wrong",
            message: `${fileOf(cli)}:4: unknown key hooks.Stpo; did you mean hooks.Stop?`,
            hint: expect.stringMatching(/^Fix it: toolcrib config edit/),
          },
        ]),
      ]);
    },
  );

  it("stops every call for a mistake in the project's file, too, but only warns where that cannot restrict", async () => {
    await using cli = cliWorkspace();
    cli.write("note.txt", "text\n");
    const read = async (text: string) => {
      cli.write(projectFile, text);
      const { exit, stderr } = await cli.run("call", "file.read", "note.txt");
      return [exit, stderr];
    };
    expect([
      await read('mode = "paraniod"\n'),
      await read('mode = "paranoid\n'),
      await read('theme = "nnoe"\nembeddings = "a/b"\n[targets]\nx = 1\n'),
    ]).toEqual([
      [
        2,
        `${projectFile}:1: mode = "paraniod" must be one of safe, cautious, paranoid, yolo; did you mean paranoid?\nFix it: toolcrib config set mode paranoid --project\n`,
      ],
      [
        2,
        expect.stringMatching(
          /^\.toolcrib\/config\.toml:1: .* in: mode = "paranoid; did you mean "paranoid"\?\nFix it: toolcrib config edit --project\n$/,
        ),
      ],
      [
        0,
        `${projectFile}:1: theme = "nnoe" must be one of auto, none; did you mean none?\n${projectFile}:2: a project cannot choose where code is sent; only your own config.toml can\n${projectFile}:3: a project cannot choose a target; only your own config.toml can\n`,
      ],
    ]);
  });

  it("only warns of a mistake in a setting of taste", async () => {
    await using cli = cliWorkspace();
    cli.write("note.txt", "text\n");
    cli.write(
      userFile(cli),
      'theem = "none"\nnotifications = "loud"\nreasoning = "hgih"\n[language_servers.zig]\ncommand = "zls"\n',
    );
    const { exit, stdout, stderr } = await cli.run("call", "file.read", "note.txt");
    const file = userFile(cli);
    expect([exit, stdout.includes("text"), stderr]).toEqual([
      0,
      true,
      [
        `${file}:1: unknown key theem; did you mean theme?`,
        `${file}:2: notifications = "loud" must be one of auto, bell, desktop, none`,
        `${file}:3: reasoning = "hgih" must be one of low, medium, high; did you mean high?`,
        `${file}:4: language_servers.zig.extensions is missing`,
        "",
      ].join("\n"),
    ]);
  });

  it("lists and repairs settings with mistakes", async () => {
    await using cli = cliWorkspace();
    cli.write(userFile(cli), 'mode = "paraniod"\ntheme = "none"\n');
    const { of, problems } = await listed(cli);
    expect([of.mode, of.theme[0], problems.length]).toEqual([["cautious", "default"], "none", 1]);
    const shown = await cli.run("config");
    expect(shown.stderr).toMatch(
      /No call runs until this is fixed\. Fix it: toolcrib config set mode paranoid\n$/,
    );
    expect((await cli.run("config", "set", "mode", "paranoid")).exit).toBe(0);
    expect(cli.read(userFile(cli))).toBe('mode = "paranoid"\ntheme = "none"\n');
    const unknown = await cli.run("config", "set", "moed", "safe");
    expect([unknown.exit, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(/^Unknown key moed; did you mean mode\?\nKeys: model, /),
    ]);
    expect((await cli.run("config", "set", "mode", "sfae")).stderr).toContain("did you mean safe?");
  });

  it("refuses hostile files: a link out of the workspace, a huge file, control characters", async () => {
    await using cli = cliWorkspace();
    cli.write(userFile(cli), 'mode = "safe"\n');
    cli.write(join(cli.home, "elsewhere.toml"), 'mode = "yolo"\n');
    cli.write(".toolcrib/x", "");
    symlinkSync(join(cli.home, "elsewhere.toml"), join(cli.workspace, projectFile));
    const linked = await listed(cli);
    expect([linked.of.mode[0], linked.problems]).toEqual([
      "safe",
      [{ message: `${projectFile} leads outside the workspace`, hint: expect.any(String) }],
    ]);
    expect((await cli.run("call", "file.list")).exit).toBe(2);
    await using other = cliWorkspace();
    other.write(projectFile, `mode = "paranoid"\n# ${"x".repeat(300_000)}\n`);
    const huge = await listed(other);
    expect([huge.of.mode[0], huge.problems.length]).toEqual(["cautious", 1]);
    await using third = cliWorkspace();
    third.write(projectFile, 'model = "a\\u001b[2Jb"\n"k\\u001b[31m" = 1\n');
    const shown = await listed(third);
    expect([shown.of.model[0], shown.problems.length]).toEqual([null, 1]);
    expect(JSON.stringify(shown)).not.toContain("\\u001b");
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

it.runIf(hasTerminals)(
  "opens the file in the user's editor, and checks what was written",
  { tags: "slow" },
  async () => {
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
  },
);

it("uses the model, the mode and the limits of config.toml in a session, and its MCP servers", {
  tags: "slow",
}, async () => {
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
