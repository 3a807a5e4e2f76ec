import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { launcher } from "../../../../test/support/built-program.ts";
import { runInHost } from "../../../../test/support/command-host.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { version } from "../../../system/version.ts";
import { type ClientName, clientNames, clients } from "./clients.ts";
import { isToolcrib, npxCommand } from "./install.ts";

const main = launcher;

/** A user's home with some configurations, and a project. */
function openHome(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  for (const location of ["home", "project"]) mkdirSync(at(location));
  for (const [path, content] of Object.entries(files)) write(path, content);
  const { PATH } = process.env;
  const run = async (words: readonly string[], more: NodeJS.ProcessEnv = {}) => {
    const env = { PATH, HOME: at("home"), TOOLCRIB_HOME: at("own"), ...more };
    const result = await runInHost({ words: ["mcp", ...words], cwd: at("project"), env });
    return { ...result, stderr: result.stderr.replaceAll(folder.path, "") };
  };
  return { ...folder, at, write, run, read: (path: string) => readFileSync(at(path), "utf8") };
}

it("knows the file and the format of every client", () => {
  const location = { workspace: "/project", variables: { HOME: "/home/ada" }, platform: "linux" } as const;
  const outputs = clientNames.map((name) => {
    const { file, servers, entry } = clients[name];
    return [file("user", location), file("project", location), { [servers]: entry(["node", "x", "mcp"]) }];
  });
  const plain = { command: "node", args: ["x", "mcp"] };
  expect(outputs).toEqual([
    ["/home/ada/.claude.json", "/project/.mcp.json", { mcpServers: { type: "stdio", ...plain, env: {} } }],
    ["/home/ada/.codex/config.toml", "/project/.codex/config.toml", { mcp_servers: plain }],
    ["/home/ada/.cursor/mcp.json", "/project/.cursor/mcp.json", { mcpServers: plain }],
    [
      "/home/ada/.config/Code/User/mcp.json",
      "/project/.vscode/mcp.json",
      { servers: { type: "stdio", ...plain } },
    ],
    [
      "/home/ada/.config/zed/settings.json",
      "/project/.zed/settings.json",
      { context_servers: { source: "custom", ...plain, env: {} } },
    ],
    ["/home/ada/.gemini/settings.json", "/project/.gemini/settings.json", { mcpServers: plain }],
    [
      "/home/ada/.config/opencode/opencode.json",
      "/project/opencode.json",
      { mcp: { type: "local", command: ["node", "x", "mcp"], enabled: true } },
    ],
    ["/home/ada/.config/Claude/claude_desktop_config.json", undefined, { mcpServers: plain }],
    ["/home/ada/.codeium/windsurf/mcp_config.json", undefined, { mcpServers: plain }],
    ["/home/ada/.cline/data/settings/cline_mcp_settings.json", undefined, { mcpServers: plain }],
    [
      "/home/ada/.copilot/mcp-config.json",
      "/project/.github/mcp.json",
      { mcpServers: { type: "local", ...plain, tools: ["*"] } },
    ],
    ["/home/ada/.junie/mcp/mcp.json", "/project/.junie/mcp/mcp.json", { mcpServers: plain }],
    ["/home/ada/.lmstudio/mcp.json", undefined, { mcpServers: plain }],
  ]);
  const elsewhere = {
    ...{ CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x", XDG_CONFIG_HOME: "/g", HOME: "/h" },
    ...{ GEMINI_CLI_HOME: "/m", OPENCODE_CONFIG_DIR: "/o" },
  };
  const other = { ...location, variables: elsewhere, platform: "darwin" } as const;
  expect(
    (["claude", "codex", "zed", "vscode", "gemini", "opencode"] as const).map((name) =>
      clients[name].file("user", other),
    ),
  ).toEqual([
    "/c/.claude.json",
    "/x/config.toml",
    "/g/zed/settings.json",
    "/h/Library/Application Support/Code/User/mcp.json",
    "/m/.gemini/settings.json",
    "/o/opencode.json",
  ]);
  const own = { ...location, variables: { ...elsewhere, OPENCODE_CONFIG: "/own/config.json" } };
  expect([clients.opencode.file("user", own), clients.opencode.file("project", own)]).toEqual([
    "/own/config.json",
    "/project/opencode.json",
  ]);
});

it("has the same entries as the links in docs/install.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/install.md"), "utf8");
  const [, inCursor = ""] =
    /\(cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?([^)]*)\)/.exec(page) ?? [];
  const [, inCode = ""] = /\(vscode:mcp\/install\?([^)]*)\)/.exec(page) ?? [];
  const { name, config } = Object.fromEntries(new URLSearchParams(inCursor));
  const words = (client: ClientName) => npxCommand("toolcrib", ["--workspace", clients[client].openFolder!]);
  expect([
    { name, entry: JSON.parse(Buffer.from(config!, "base64").toString()) },
    JSON.parse(decodeURIComponent(inCode)),
  ]).toEqual([
    { name: "toolcrib", entry: clients.cursor.entry(words("cursor")) },
    { name: "toolcrib", ...clients.vscode.entry(words("vscode")) },
  ]);
});

it("refuses a project's configuration for a client that reads none, and writes the path of the single binary", async () => {
  await using home = openHome({});
  const refused = await home.run(["install", "--client", "windsurf", "--scope", "project"]);
  await home.run(["install", "--client", "windsurf"], { TOOLCRIB_BINARY: "/opt/toolcrib-0.1.0-linux-x64" });
  const again = await home.run(["install", "--client", "windsurf"], { TOOLCRIB_BINARY: "/opt/toolcrib" });
  const { toolcrib } = JSON.parse(home.read("home/.codeium/windsurf/mcp_config.json")).mcpServers;
  expect([refused.stderr, again.exit, toolcrib.command]).toEqual([
    "Windsurf reads no configuration of a project\nInstall it for yourself: toolcrib mcp install --client windsurf\n",
    0,
    "/opt/toolcrib",
  ]);
});

it("starts the program that the project installs, when it installs one", async () => {
  await using home = openHome({ "project/package.json": '{ "devDependencies": { "toolcrib": "^0.1.0" } }' });
  const claude = ["--client", "claude", "--scope", "project"];
  await home.run(["install", ...claude, "--mode", "safe"]);
  const { toolcrib } = JSON.parse(home.read("project/.mcp.json")).mcpServers;
  const again = await home.run(["install", ...claude, "--mode", "safe"]);
  await home.run(["uninstall", ...claude]);
  expect([
    toolcrib.command,
    toolcrib.args,
    again.stdout.slice(0, 17),
    readdirSync(home.at("project")),
  ]).toEqual([
    "npx",
    ["--no-install", "toolcrib", "mcp", "--mode", "safe"],
    "Already installed",
    ["package.json"],
  ]);
});

it("leaves the questions to Toolcrib where the client's entry can say so, and says how elsewhere", async () => {
  await using home = openHome({ "home/.codex/config.toml": "" });
  const codex = ["install", "--client", "codex"];
  const offered = await home.run(codex);
  const once = await home.run([...codex, "--ask-once"]);
  const written = home.read("home/.codex/config.toml");
  const again = await home.run(codex);
  const gemini = await home.run(["install", "--client", "gemini", "--ask-once", "--print"]);
  const claude = await home.run(["install", "--client", "claude", "--name", "crib", "--ask-once"]);
  const advised = await home.run(["install", "--client", "claude", "--name", "crib"]);
  const advice = (stdout: string) => stdout.split("\n").find((line) => line.includes("asks before calls"));
  expect([
    [offered, once, advised].map(({ stdout }) => advice(stdout)),
    written.includes('default_tools_approval_mode = "approve"'),
    again.stdout.slice(0, 17),
    gemini.stdout.includes('"trust": true'),
    claude.stderr.split("\n").slice(0, 2),
  ]).toEqual([
    [
      "Codex asks before calls, too. To be asked only once, by Toolcrib, repeat this command with: --ask-once",
      undefined,
      'Claude Code asks before calls, too. To be asked only once, by Toolcrib, add "mcp__crib" to permissions.allow in ~/.claude/settings.json.',
    ],
    true,
    "Already installed",
    true,
    [
      "--ask-once cannot change the settings of Claude Code",
      'To be asked only once, by Toolcrib, add "mcp__crib" to permissions.allow in ~/.claude/settings.json.',
    ],
  ]);
});

it("connects clients to a server over HTTP, with its token in a variable", async () => {
  await using home = openHome({ "home/.cursor/mcp.json": '{ "mcpServers": {} }\n' });
  const url = "http://127.0.0.1:7777/mcp";
  const expected = {
    claude: { type: "http", url, headers: { Authorization: "Bearer $" + "{TOOLCRIB_TOKEN}" } },
    codex: { url, bearer_token_env_var: "TOOLCRIB_TOKEN" },
    cursor: { url, headers: { Authorization: "Bearer $" + "{env:TOOLCRIB_TOKEN}" } },
    vscode: { type: "http", url, headers: { Authorization: "Bearer $" + "{env:TOOLCRIB_TOKEN}" } },
    zed: undefined,
    gemini: { httpUrl: url, headers: { Authorization: "Bearer $" + "{TOOLCRIB_TOKEN}" } },
    opencode: {
      type: "remote",
      url,
      enabled: true,
      headers: { Authorization: "Bearer {env:TOOLCRIB_TOKEN}" },
    },
    "claude-desktop": undefined,
    windsurf: { serverUrl: url, headers: { Authorization: "Bearer $" + "{env:TOOLCRIB_TOKEN}" } },
    cline: undefined,
    copilot: undefined,
    junie: undefined,
    lmstudio: undefined,
  };
  expect(Object.fromEntries(clientNames.map((name) => [name, clients[name].httpEntry?.(url)]))).toEqual(
    expected,
  );
  const cursor = ["--client", "cursor"];
  // From a program that the client starts to one that it connects to, and back.
  await home.run(["install", ...cursor]);
  const installed = await home.run(["install", ...cursor, "--url", url]);
  const entry = JSON.parse(home.read("home/.cursor/mcp.json")).mcpServers.toolcrib;
  const again = await home.run(["install", ...cursor, "--url", url]);
  const removed = await home.run(["uninstall", ...cursor]);
  const zed = await home.run(["install", "--client", "zed", "--url", url]);
  expect([
    zed.stderr.split("\n")[0],
    entry,
    installed.stdout.split("\n").slice(-5, -1),
    again.stdout.slice(0, 17),
    removed.stdout.split("\n").at(-2),
    home.read("home/.cursor/mcp.json"),
  ]).toEqual([
    "Zed cannot read the token from a variable",
    expected.cursor,
    [
      `Cursor connects to ${url} after a restart.`,
      "Set TOOLCRIB_TOKEN to the same token for the server and for Cursor.",
      'Cursor asks before calls, too. To be asked only once, by Toolcrib, add "toolcrib:*" to the MCP allowlist in the settings of Cursor.',
      "To remove it: toolcrib mcp uninstall --client cursor",
    ],
    "Already installed",
    'Cursor no longer uses "toolcrib".',
    '{ "mcpServers": {} }\n',
  ]);
});

it("leaves the entry of another server over HTTP alone", async () => {
  const before = '{ "mcpServers": { "toolcrib": { "url": "https://other.example/mcp" } } }';
  await using home = openHome({ "home/.cursor/mcp.json": before });
  const { stderr } = await home.run(["install", "--client", "cursor"]);
  expect([stderr.split("\n")[0], home.read("home/.cursor/mcp.json")]).toEqual([
    '/home/.cursor/mcp.json already has another server named "toolcrib"',
    before,
  ]);
});

it("starts this installation from the user's file and npx from a project's, and uninstalls without a trace", async () => {
  await using home = openHome();
  const vscode = ["--client", "vscode", "--scope", "project", "--name", "crib"];
  const installed = [
    await home.run([
      "install",
      "--client",
      "codex",
      "--mode",
      "safe",
      "--rule",
      "deny run a",
      "--rule",
      "deny run b",
    ]),
    await home.run(["install", ...vscode, "--read-only"]),
  ];
  const args = [main, "mcp", "--mode", "safe", "--rule", "deny run a", "--rule", "deny run b"];
  expect([
    home.read("home/.codex/config.toml"),
    JSON.parse(home.read("project/.vscode/mcp.json")),
    installed[1]!.stdout.split("\n").slice(-2),
  ]).toEqual([
    `[mcp_servers.toolcrib]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${args.map((word) => JSON.stringify(word)).join(", ")}]\n`,
    {
      servers: {
        crib: {
          type: "stdio",
          command: "sh",
          args: npxCommand(`toolcrib@${version}`, [
            "--read-only",
            "--workspace",
            clients.vscode.openFolder!,
          ]).slice(1),
        },
      },
    },
    ["To remove it: toolcrib mcp uninstall --client vscode --scope project --name crib", ""],
  ]);
  await home.run(["uninstall", "--client", "codex"]);
  await home.run(["uninstall", ...vscode]);
  expect([readdirSync(home.at("home")), readdirSync(home.at("project"))]).toEqual([[], []]);
});

it("replaces an entry that starts npx in the workspace, and recognizes its own forms only", async () => {
  const older = { command: "npx", args: ["-y", "toolcrib@0.0.9", "mcp", "--mode", "safe"] };
  await using home = openHome({ "project/.mcp.json": JSON.stringify({ mcpServers: { toolcrib: older } }) });
  const claude = ["--client", "claude", "--scope", "project"];
  await home.run(["install", ...claude]);
  const { toolcrib } = JSON.parse(home.read("project/.mcp.json")).mcpServers;
  const [command, ...args] = npxCommand(`toolcrib@${version}`, []);
  expect([toolcrib.command, toolcrib.args]).toEqual([command, args]);
  const script = args[1]!;
  const forms: [string, string[]][] = [
    [command, args],
    [command, [...args, "--mode", "safe"]],
    [older.command, older.args],
    [command, ["-c", script.replace("; cd", "; ./evil; cd")]],
    [command, ["-c", `${script}; evil`]],
    [command, ["-c", script.replace("toolcrib@", "toolcrib2@")]],
    [command, [script]],
  ];
  expect(forms.map(([command, args]) => isToolcrib({ command, args }))).toEqual([
    ...[true, true, true],
    ...[false, false, false, false],
  ]);
});

it("shows how the file would change in a dry run, and writes nothing", async () => {
  await using home = openHome();
  const { exit, stdout, stderr } = await home.run(["install", "--client", "cursor", "--dry-run"]);
  expect([exit, stderr, readdirSync(home.at("home"))]).toEqual([0, "", []]);
  expect(stdout).toMatch(
    /^--- \/dev\/null\n\+\+\+ .*\/\.cursor\/mcp\.json\n@@ [\s\S]*\+.*"toolcrib"[\s\S]*\nNothing was written: this was a dry run\.\n$/,
  );
});

it("prints what it would write, and writes nothing", async () => {
  await using home = openHome();
  const printed = await home.run(["install", "--client", "codex", "--print", "--", "--read-only"]);
  const args = `[${JSON.stringify(main)}, "mcp", "--read-only"]`;
  expect([printed, readdirSync(home.at("home"))]).toEqual([
    {
      exit: 0,
      stdout: `[mcp_servers.toolcrib]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`,
      stderr: "/home/.codex/config.toml\n",
    },
    [],
  ]);
});

it.each([
  [["--http", "7777"], "--http has no effect in toolcrib mcp install"],
  [["--json"], "--json has no effect in toolcrib mcp install"],
  [["--rule", "alow run x"], "Bad rule at --rule:1:1"],
  [["--", "--rule", "alow run x"], "Bad rule at --rule:1:1"],
  [["--only-tools", "nope.*"], "nope.*"],
  [["--rule-file", "nowhere.rules"], "The rule file "],
  [["--", "--nonsense"], "Unknown option for toolcrib mcp: --nonsense"],
  [["--url", "7777"], '--url must be the address of an HTTP server, not "7777"'],
  [["--url", "http://me:secret@127.0.0.1/mcp"], "--url must be the address of an HTTP server"],
  [["--url", "http://127.0.0.1:7777/mcp", "--mode", "safe"], "--mode has no effect with --url"],
])("refuses to install an entry that would not start: %j", async (words, reason) => {
  await using home = openHome();
  const { exit, stderr } = await home.run(["install", "--client", "codex", ...words]);
  expect([exit, stderr.includes(reason), readdirSync(home.at("home"))]).toEqual([2, true, []]);
});

it.each([
  [["--client", "claude"], "--client has no effect in toolcrib mcp"],
  [["--print"], "--print has no effect in toolcrib mcp"],
  [["--allowed-host", "x"], "Use it with: toolcrib mcp --http"],
  [["--token-file", "x"], "Use it with: toolcrib mcp --http"],
  [["servers", "extra"], "Unexpected argument: extra"],
  [["servers", "--mode", "safe"], "--mode has no effect in toolcrib mcp servers"],
])("refuses options that have no effect: %j", async (words, reason) => {
  await using home = openHome();
  const { exit, stderr } = await home.run(words);
  expect([exit, stderr.includes(reason)]).toEqual([2, true]);
});

it("keeps other settings, shows its change, changes nothing twice, and shows no keys", async () => {
  const settings =
    '// mine\n{\n  "theme": "One Dark", // nice\n  "api_key": "sk-ant-api03-aaaaBBBBccccDDDDeeeeFFFFggggHHHH",\n}\n';
  await using home = openHome({ "home/.config/zed/settings.json": settings });
  const file = "home/.config/zed/settings.json";
  const first = await home.run(["install", "--client", "zed"]);
  const once = home.read(file);
  const second = await home.run(["install", "--client", "zed"]);
  const twice = home.read(file);
  const other = await home.run(["install", "--client", "zed", "--mode", "yolo"]);
  // After another change to the file, only the entry is removed.
  home.write(file, home.read(file).replace("One Dark", "One Light"));
  await home.run(["uninstall", "--client", "zed"]);
  expect({
    diff: first.stdout.includes('+    "toolcrib": {') && !first.stdout.includes("aaaaBBBB"),
    second: second.stdout,
    same: once === twice,
    other: other.stdout.includes('+        "yolo"'),
    after: home.read(file),
  }).toEqual({
    diff: true,
    second: `Already installed in Zed: ${home.at(file)}\n`,
    same: true,
    other: true,
    after: settings.replace("One Dark", "One Light").replace("{\n", '{\n  "context_servers": {\n  },\n'),
  });
});

it("keeps the user's settings in the entry, and restores an older entry", async () => {
  const claude =
    '{ "mcpServers": { "toolcrib": { "command": "toolcrib", "args": ["mcp"], "env": { "A": "1" } } } }';
  const codex =
    '[mcp_servers.toolcrib]\ncommand = "toolcrib"\nargs = ["mcp"]\n[mcp_servers.toolcrib.env]\nA = "1"\n';
  await using home = openHome({ "home/.claude.json": claude, "home/.codex/config.toml": codex });
  await Promise.all(["claude", "codex"].map((client) => home.run(["install", "--client", client])));
  const { toolcrib } = JSON.parse(home.read("home/.claude.json")).mcpServers;
  const lines = home.read("home/.codex/config.toml").split("\n");
  const removed = await Promise.all(
    ["claude", "codex"].map((client) => home.run(["uninstall", "--client", client])),
  );
  expect([toolcrib, lines[3], removed.map(({ stdout }) => stdout.split("\n").at(-2))]).toEqual([
    { type: "stdio", command: process.execPath, args: [main, "mcp"], env: { A: "1" } },
    'env = { A = "1" }',
    ['Claude Code starts "toolcrib" as before.', 'Codex starts "toolcrib" as before.'],
  ]);
  expect([home.read("home/.claude.json"), home.read("home/.codex/config.toml")]).toEqual([claude, codex]);
});

it("reverts several installs exactly", async () => {
  const before = "{}";
  await using home = openHome({ "home/.cursor/mcp.json": before });
  for (const mode of ["safe", "yolo"]) await home.run(["install", "--client", "cursor", "--mode", mode]);
  await home.run(["uninstall", "--client", "cursor"]);
  expect(home.read("home/.cursor/mcp.json")).toBe(before);
});

it("writes through a link, keeps the permissions, and makes a new file private", async () => {
  await using home = openHome({ "home/dotfiles/mcp.json": "{}\n", "home/.cursor/x": "" });
  chmodSync(home.at("home/dotfiles/mcp.json"), 0o640);
  symlinkSync("../dotfiles/mcp.json", home.at("home/.cursor/mcp.json"));
  await home.run(["install", "--client", "cursor"]);
  await home.run(["install", "--client", "gemini"]);
  const mode = (path: string) => (statSync(home.at(path)).mode & 0o777).toString(8);
  expect([
    lstatSync(home.at("home/.cursor/mcp.json")).isSymbolicLink(),
    home.read("home/dotfiles/mcp.json").includes("toolcrib"),
    mode("home/dotfiles/mcp.json"),
    mode("home/.gemini/settings.json"),
  ]).toEqual([true, true, "640", "600"]);
});

it("refuses files that are invalid, foreign or read-only, and changes nothing", async () => {
  const before = {
    "home/.claude.json": '{ "mcpServers": { "toolcrib": { "command": "other" } } }',
    "home/.cursor/mcp.json": "{ broken",
    "home/.gemini/settings.json": "{}",
  };
  await using home = openHome(before);
  chmodSync(home.at("home/.gemini/settings.json"), 0o400);
  mkdirSync(home.at("home/.config/opencode"), { recursive: true });
  symlinkSync("../gone.json", home.at("home/.config/opencode/opencode.json"));
  const answers = await Promise.all([
    home.run(["install", "--client", "claude"]),
    home.run(["uninstall", "--client", "claude"]),
    home.run(["install", "--client", "cursor"]),
    home.run(["install", "--client", "opencode"]),
    home.run(["install"]),
    home.run(["install", "--client", "zed", "--name", "a b"]),
    home.run(["install", "--client", "zed", "extra"]),
    home.run(["install", "--client", "zed"], { TOOLCRIB_RUN: "run_1" }),
  ]);
  const readOnly = await home.run(["install", "--client", "gemini"]);
  expect(answers.map(({ stderr }) => stderr.split("\n")[0])).toEqual([
    '/home/.claude.json already has another server named "toolcrib"',
    '/home/.claude.json already has another server named "toolcrib"',
    "/home/.cursor/mcp.json cannot be changed: line 1: InvalidSymbol",
    "/home/.config/opencode/opencode.json cannot be changed: it is a broken link",
    "--client is missing",
    '--name must consist of letters, digits, - and _, not "a b"',
    "Unexpected argument: extra",
    "A command that a tool runs cannot change clients",
  ]);
  const after = Object.keys(before).map((path) => home.read(path));
  if (isWritable(home.at("home/.gemini/settings.json"))) expect(readOnly.exit).toBe(0);
  else expect(readOnly.stderr.split("\n")[0]).toBe("/home/.gemini/settings.json is read-only");
  expect([after.slice(0, 2), existsSync(home.at("home/.config/zed"))]).toEqual([
    Object.values(before).slice(0, 2),
    false,
  ]);
});

it("does not adopt a foreign entry that mentions it, and writes only inside the project", async () => {
  const planted = {
    command: "evil",
    args: ["mcp", "toolcrib"],
    env: { NODE_OPTIONS: "--require ./evil.js" },
  };
  const before = JSON.stringify({ mcpServers: { toolcrib: planted } });
  await using home = openHome({ "project/.mcp.json": before, "home/elsewhere.json": "{}" });
  mkdirSync(home.at("project/.cursor"));
  symlinkSync("../../home/elsewhere.json", home.at("project/.cursor/mcp.json"));
  const answers = await Promise.all([
    home.run(["install", "--client", "claude", "--scope", "project"]),
    home.run(["install", "--client", "cursor", "--scope", "project"]),
    home.run(["install", "--client", "gemini", "--name", "constructor"]),
  ]);
  expect(answers.map(({ exit, stderr }) => [exit, stderr.split("\n")[0]])).toEqual([
    [1, '/project/.mcp.json already has another server named "toolcrib"'],
    [3, "/project/.cursor/mcp.json is outside the project, because of a link"],
    [0, ""],
  ]);
  expect([home.read("project/.mcp.json"), home.read("home/elsewhere.json")]).toEqual([before, "{}"]);
});

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
