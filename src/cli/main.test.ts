import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launcher } from "../../test/support/built-program.ts";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";
import { runInHost } from "../../test/support/command-host.ts";
import { makeChangeWorld } from "../../test/support/environment/change-world.ts";
import { workspaceFiles } from "../system/directories.ts";
import { explainEverything } from "./help.ts";

const main = launcher;
let folder: string;
let workspace: string;

beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib cli "));
  workspace = join(folder, "a workspace");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "poem.txt"), "one\ntwo\nthree\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Settings {
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
}

const variables = () => ({
  ...process.env,
  TOOLCRIB_HOME: join(folder, "home"),
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
});

const run = (words: readonly string[], { input, env }: Settings = {}) =>
  runInHost({ words, input, cwd: workspace, env: { ...variables(), ...env } });
const runAll = (...lines: (readonly string[])[]) => Promise.all(lines.map((words) => run(words)));

const isAscii = (text: string) => !/[^\p{ASCII}]/u.test(text);

function startProcess(words: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [main, ...words], {
    cwd: workspace,
    env: { ...variables(), ...env },
  });
  child.stdin.end();
  return child;
}

async function finish(child: ChildProcess): Promise<{ exit: unknown; stdout: string; stderr: string }> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "close"),
  ]);
  return { exit: code ?? signal, stdout, stderr };
}

describe("toolcrib call", () => {
  it("accepts arguments as flags, as JSON and from standard input, and prints the answer", async () => {
    const answers = await Promise.all([
      run(["call", "file.read", "--path", "poem.txt", "--limit=2", "--no-line-numbers"]),
      run(["call", "file_read", '{"path": "poem.txt", "limit": 2, "line_numbers": false}', "--mode", "safe"]),
      run(["call", "file.read", "-"], {
        input: '\uFEFF{"path": "poem.txt", "limit": 2, "line_numbers": false}',
      }),
    ]);
    const answer = {
      exit: 0,
      stdout: "one\ntwo\n[poem.txt: lines 1 to 2 of 3; continue with offset 3.]\n",
      stderr: "",
    };
    expect(answers).toEqual([answer, answer, answer]);
  });

  it("edits by flags, by JSON, and by a raw patch or diff from standard input", async () => {
    const file = join(workspace, "song.txt");
    writeFileSync(file, "la\nle\nli\nlo\nlu\n");
    const patch = "*** Begin Patch\n*** Update File: song.txt\n@@\n-li\n+LI\n*** End Patch\n";
    const edits = '[{"find": "lo", "replace": "LO"}]';
    const answers = [
      await run(["call", "edit.replace", "--path", "song.txt", "--find", "la", "--replace=--LA"]),
      await run(["call", "edit_replace", '{"path": "song.txt", "find": "le", "replace": "LE"}']),
      await run(["call", "edit_patch", "-"], { input: patch }),
      await run(["call", "edit.replace", "--path", "song.txt", "--edits", edits]),
      await run(["call", "edit.diff", "-"], {
        input: JSON.stringify({ diff: "--- song.txt\n+++ song.txt\n@@\n-lu\n+LU\n" }),
      }),
    ];
    expect(answers.map(({ exit, stdout }) => [exit, stdout.split(" (")[0]])).toEqual(
      [1, 2, 3, 4, 5].map((line) => [0, `Edited song.txt at line ${line}`]),
    );
    expect(readFileSync(file, "utf8")).toBe("--LA\nLE\nLI\nLO\nLU\n");
  });

  it("refuses standard input that is not UTF-8", async () => {
    const { exit, stderr } = await run(["call", "edit.diff", "-"], {
      input: Buffer.from("--- song.txt\n+++ song.txt\n@@\n-café\n+thé\n", "latin1"),
    });
    expect([exit, stderr]).toEqual([
      2,
      "Standard input is not UTF-8\nConvert it first, for example: iconv -f latin1 -t utf-8\n",
    ]);
  });

  it("prints one object with six keys with --json for every outcome", async () => {
    const reports = await runAll(
      ["call", "file.read", '{"path": "poem.txt", "limit": 1}', "--json"],
      ["call", "file.read", '{"path": "none.txt"}', "--json"],
      ["call", "--json", "file.read", '{"path": '],
      ["call", "file.raed", "{}", "--json"],
      ["call", "--json"],
    );
    const objects = reports.map(({ stdout }) => JSON.parse(stdout));
    expect(reports.map(({ exit, stderr }) => [exit, stderr])).toEqual([
      [0, ""],
      [1, ""],
      [2, ""],
      [2, ""],
      [2, ""],
    ]);
    for (const object of objects) {
      expect(Object.keys(object)).toEqual([
        "content",
        "isError",
        "failed",
        "data",
        "error",
        "callId",
        "truncated",
      ]);
    }
    expect(
      objects.map(({ isError, error, callId }) => [isError, error?.code, /^call_/.test(callId)]),
    ).toEqual([
      [false, undefined, true],
      [true, "not-found", true],
      [true, "invalid-input", false],
      [true, "not-found", false],
      [true, "invalid-input", false],
    ]);
    expect(objects[3]).toEqual({
      content: 'Unknown tool "file.raed"\nDid you mean "file.read"?',
      isError: true,
      failed: null,
      data: null,
      error: { code: "not-found", message: 'Unknown tool "file.raed"', hint: 'Did you mean "file.read"?' },
      callId: "",
      truncated: false,
    });
  });

  it("reports a call that needs approval with the usual keys", async () => {
    const [report] = await runAll(["call", "file.delete", "--path", "poem.txt", "--mode", "safe", "--json"]);
    expect(Object.keys(JSON.parse(report!.stdout).error)).toEqual(["code", "message", "hint"]);
  });

  it("reports the outcome by its exit code", async () => {
    const ends = await runAll(
      ["call", "file.write", "--path", "new/file.txt", "--content", "new"],
      ["call", "file.read", "--path", "none.txt"],
      ["call", "file.read", "--path", "poem.txt", "--limit", "many"],
      ["call", "file.read", "--path", "../../../etc/passwd"],
      ["call", "file.delete", "--path", "poem.txt", "--mode", "safe"],
      ["call", "file.write", "--path", "a", "--content", "b", "--mode=safe"],
    );
    expect(ends.map(({ exit, stdout }) => [exit, stdout])).toEqual([
      [0, "Created new/file.txt: 3 bytes written.\n"],
      [1, ""],
      [2, ""],
      [3, ""],
      [4, ""],
      [4, ""],
    ]);
    expect(ends[4]!.stderr).toContain(
      `To allow it, approve it on a terminal, or add --rule 'allow delete '\\''${realpathSync(workspace)}/poem.txt'\\'' by file.delete'\n`,
    );
    expect(existsSync(join(workspace, "poem.txt"))).toBe(true);
  });

  it("prints the flags that would allow a refused call", async () => {
    const loopback = (host: string, tool: string) =>
      `To allow it, approve it on a terminal, or add --rule 'allow connect ${host} by ${tool}'`;
    const ends = await runAll(
      ["call", "file.delete", "--path", ".", "--recursive", "--mode", "yolo"],
      ["call", "file.read", "--path", "poem.txt", "--mode", "paranoid"],
      ["call", "file.read", "--path", "a b/.env"],
      ["call", "file.read", "--path", "poem.txt", "--rule", "deny read poem.txt"],
      ["call", "web.fetch", "--url", "http://127.0.0.1:1/"],
      ["call", "web.fetch", "--url", "http://[::1]:1/", "--mode", "safe"],
      ["call", "web.fetch", "--url", "http://example.com/"],
    );
    expect(ends.map(({ stderr }) => stderr.trimEnd().split("\n").slice(1))).toEqual([
      ["To allow it, approve it on a terminal."],
      ["To allow it, approve it on a terminal, or add --mode yolo"],
      ["To allow it, add --rule 'open '\\''a b/.env'\\'''"],
      ["To allow it, change or remove that rule. To list all rules, run: toolcrib policy show"],
      [loopback("127.0.0.1", "web.fetch")],
      [loopback("::1", "web.fetch")],
      [loopback("example.com", "web.fetch")],
    ]);
  });

  it("allows a refused call with the flags that it printed", async () => {
    const read = ["call", "file.read", "--path", "a b/.env", "--no-line-numbers"];
    mkdirSync(join(workspace, "a b"), { recursive: true });
    writeFileSync(join(workspace, "a b", ".env"), "open\n");
    const [refused, opened] = await runAll(read, [...read, "--rule", "open 'a b/.env'"]);
    expect([refused!.exit, opened]).toEqual([3, { exit: 0, stdout: "open\n", stderr: "" }]);
  });

  it("takes the main argument of a tool without a flag", async () => {
    const [read, run, listed, many] = await runAll(
      ["call", "file.read", "poem.txt", "--offset", "-1"],
      ["call", "shell.run", "echo two words", "--mode", "yolo"],
      ["call", "process.list", "poem.txt"],
      ["call", "shell.run", "echo", "two"],
    );
    expect([read!.stdout, run!.stdout]).toEqual(["3 | three\n", "two words\n"]);
    expect([listed!.exit, listed!.stderr.split(":")[0]]).toEqual([2, "The argument is not JSON"]);
    expect([many!.exit, many!.stderr.split("\n")[0]]).toEqual([2, "Unexpected argument: two"]);
  });

  it("passes arguments after a lone -- to the tool", async () => {
    const [ours, theirs] = await runAll(
      ["call", "search.grep", "--pattern", "two", "--mode", "files"],
      ["call", "search.grep", "--pattern", "two", "--mode", "safe", "--", "--mode", "files"],
    );
    expect(ours).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        '--mode must be one of safe, cautious, paranoid, yolo, not "files"\n' +
        "If the tool has its own --mode, write it after a lone --: -- --mode files\n",
    });
    expect([theirs!.exit, theirs!.stdout.split("\n")[0], theirs!.stderr]).toEqual([0, "poem.txt", ""]);
  });

  it("works in another folder", async () => {
    const [there, nowhere] = await runAll(
      ["call", "-C", folder, "file.read", "--path", "a workspace/poem.txt", "--offset", "-1"],
      ["call", "-C", join(folder, "nowhere"), "file.read", "--path", "poem.txt"],
    );
    expect(there).toEqual({ exit: 0, stdout: "3 | three\n", stderr: "" });
    expect([nowhere!.exit, nowhere!.stdout]).toEqual([2, ""]);
  });

  it("reports that an image is not shown", async () => {
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    writeFileSync(join(workspace, "dot.png"), Buffer.from(png, "base64"));
    const { exit, stderr } = await run(["call", "file.read", "--path", "dot.png"]);
    expect([exit, stderr]).toEqual([0, "[Image not shown: image/png, 70 bytes]\n"]);
  });

  it("prints a large answer completely", async () => {
    const line = "x".repeat(600);
    writeFileSync(join(workspace, "large.txt"), `${line}\n`.repeat(1500));
    const { exit, stdout } = await run(["call", "file.read", "--path", "large.txt", "--json"]);
    const { data, truncated } = JSON.parse(stdout);
    expect([exit, truncated, data.files[0].text.length]).toEqual([0, true, 601 * 1500]);
  });

  it("first reports the outcome of a change that a crash interrupted", async () => {
    const crashed = join(folder, "crashed");
    mkdirSync(crashed);
    makeChangeWorld(crashed);
    const changer = fileURLToPath(new URL("../../test/support/environment/changer.ts", import.meta.url));
    spawnSync(process.execPath, [changer, crashed, "change", JSON.stringify({ killAt: "update" })]);
    const { changes } = workspaceFiles(join(folder, "home"), join(crashed, "workspace"));
    mkdirSync(dirname(changes), { recursive: true });
    renameSync(join(crashed, "records"), changes);
    writeFileSync(join(crashed, "workspace", "a", "mode"), "by hand");
    const words = [
      "call",
      "file.read",
      "--path",
      "a/update",
      "--no-line-numbers",
      "-C",
      `${crashed}/workspace`,
    ];
    const paths = "a/delete, a/mode, a/update, b/from, hard/one and 3 more files";
    expect([await run(words), await run(words)]).toEqual([
      {
        exit: 0,
        stdout: "updated\n",
        stderr:
          `A change of ${paths} that a crash had interrupted was completed.\n` +
          "Skipped because they changed since: a/mode\n",
      },
      { exit: 0, stdout: "updated\n", stderr: "" },
    ]);
  });
});

describe("a long call", () => {
  /** A sparse file of 64 GB without newlines: it takes no disk space, but long to search. */
  const hole = "hole.txt";
  const words = ["call", "file.read", "--path", hole, "--offset", "100000"];
  beforeAll(() => {
    writeFileSync(join(workspace, hole), "a line of text\n".repeat(10_000));
    truncateSync(join(workspace, hole), 64 * 2 ** 30);
  });
  afterAll(() => rmSync(join(workspace, hole)));

  it("ends at its deadline", async () => {
    const { exit, stdout, stderr } = await run([...words, "--timeout-ms", "50"]);
    expect([exit, stdout, stderr.split("\n")[0]]).toEqual([
      5,
      "",
      "The call did not finish within 0.05 s and was ended",
    ]);
  });

  it("ends when it is interrupted, and reports it", async () => {
    const child = startProcess([...words, "--json"]);
    await opens(child, hole);
    child.kill("SIGINT");
    const { exit, stdout, stderr } = await finish(child);
    expect([exit, JSON.parse(stdout).error.code, stderr]).toEqual([130, "cancelled", ""]);
  });

  it("ends at once on a second interrupt, but not on a duplicate of the first", async () => {
    const interruption = JSON.stringify(join(import.meta.dirname, "interruption.ts"));
    const script = `import { onInterruption } from ${interruption};
      onInterruption().signal.addEventListener("abort", () => console.log("interrupted"));
      console.log("ready");
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    const end = once(child, "close");
    await once(child.stdout, "data");
    child.kill("SIGINT");
    child.kill("SIGINT");
    await once(child.stdout, "data");
    await wait(600);
    expect(child.exitCode).toBe(null);
    child.kill("SIGINT");
    expect(await end).toEqual([130, null]);
  });
});

describe("the command line", () => {
  it("prints help at every level", async () => {
    const [everything, tool] = await runAll([], ["call", "file.move", "--help"]);
    expect(everything).toEqual({
      exit: 0,
      stdout: stripVTControlCharacters(explainEverything()),
      stderr: "",
    });
    expect(tool).toEqual({
      exit: 0,
      stderr: "",
      stdout: `file.move (risk: destructive)

Move or rename a file, link or directory.

Arguments
  --from TEXT     (required)
  --to TEXT       (required) The full new path.
  --[no-]replace  Overwrite an existing file.

Examples
  # as flags
  toolcrib call file.move --from notes.txt --to docs/notes.txt
  # as JSON
  toolcrib call file.move '{"from":"notes.txt","to":"docs/notes.txt"}'

See also: toolcrib help call
`,
    });
  });

  it("suggests the nearest name for a typo", async () => {
    const [command, early, option, version] = await runAll(
      ["tols"],
      ["-C", "dir", "doctor"],
      ["tools", "--jsn"],
      ["--version"],
    );
    const packageJson = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
    expect([command, early, option, version]).toEqual([
      { exit: 2, stdout: "", stderr: "Unknown command: tols\nDid you mean `toolcrib tools`?\n" },
      {
        exit: 2,
        stdout: "",
        stderr: "The option -C comes before the command\nWrite it after the command: toolcrib COMMAND -C\n",
      },
      { exit: 2, stdout: "", stderr: "Unknown option for toolcrib tools: --jsn\nDid you mean --json?\n" },
      { exit: 0, stdout: `${packageJson.version}\n`, stderr: "" },
    ]);
  });

  it("colours errors only on request", async () => {
    const inColour = (env: NodeJS.ProcessEnv) =>
      run(["nonsense"], { env }).then(({ stderr }) => stderr.includes("\u001b["));
    expect(
      await Promise.all([
        inColour({}),
        inColour({ FORCE_COLOR: "1" }),
        inColour({ FORCE_COLOR: "0" }),
        inColour({ NO_COLOR: "1" }),
      ]),
    ).toEqual([false, true, false, false]);
  });

  it("is silent when its output is closed", async () => {
    const script = `"${process.execPath}" "${main}" tools | true; echo "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", script], { cwd: workspace });
    expect(await finish(child)).toEqual({ exit: 0, stdout: "0\n", stderr: "" });
  });
});

describe("the other commands", () => {
  it("list the tools and define them", async () => {
    const [table, json] = await runAll(["tools"], ["tools", "--json", "--dialect", "toolcrib"]);
    const rows = table!.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    const definitions = JSON.parse(json!.stdout);
    expect(rows.map(([name, risk]) => [name, risk])).toEqual(
      definitions.map(({ canonical, risk }: { canonical: string; risk: string }) => [canonical, risk]),
    );
    expect(Object.keys(definitions[0])).toEqual([
      "name",
      "canonical",
      "description",
      "risk",
      "effects",
      "inputSchema",
      "listed",
    ]);
    expect(rows.find(([name]) => name === "file.write")).toEqual([
      "file.write",
      "write",
      "listed",
      "Create a file, or replace its whole content.",
    ]);
  });

  it("show where files are stored", async () => {
    const [table, json] = await runAll(["paths"], ["paths", "--json"]);
    const paths = JSON.parse(json!.stdout);
    const home = join(folder, "home");
    expect(paths).toEqual({
      workspace,
      state: home,
      config: join(home, "config"),
      cache: join(home, "cache"),
      approvals: join(home, "approvals.db"),
      journal: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/journal\.sqlite$/),
      blobs: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/blobs$/),
      outputs: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/outputs$/),
      changes: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/changes$/),
      scans: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/scans$/),
      started: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/started$/),
      servers: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/servers$/),
      sandbox: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/sandbox$/),
      transactions: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/transactions$/),
      index: expect.stringMatching(/\/workspaces\/a-workspace-[0-9a-f]{16}\/index$/),
    });
    expect(table!.stdout).toBe(
      Object.entries(paths)
        .map(([name, path]) => `${name.padEnd(12)}  ${path}\n`)
        .join(""),
    );
  });

  it("run the tour, in ASCII in the C locale, and leave the folder unchanged", { tags: "slow" }, async () => {
    const before = readdirSync(workspace, { recursive: true });
    const { exit, stdout, stderr } = await finish(startProcess(["tour"], { LC_ALL: "C" }));
    expect({ exit, stderr, stdout: exit === 0 ? "" : stdout }).toEqual({ exit: 0, stderr: "", stdout: "" });
    expect(isAscii(stdout)).toBe(true);
    expect(stdout).toContain(`Workspace: ${workspace}\n`);
    expect(stdout).toContain("$ toolcrib call file.read --path ../../etc/passwd\n");
    expect(stdout).toContain("(exit code 4: needs-approval)\n");
    expect(readdirSync(workspace, { recursive: true })).toEqual(before);
    const logged = await finish(startProcess(["log", "--json", "--limit", "1"]));
    expect(JSON.parse(logged.stdout)[0].client).toEqual({ kind: "cli", name: "tour" });
  });
});

/** Waits until the process has opened the file, according to /proc. */
async function opens(child: ChildProcess, name: string): Promise<void> {
  const descriptors = `/proc/${child.pid}/fd`;
  const isOpen = () =>
    readdirSync(descriptors).some((descriptor) => {
      try {
        return readlinkSync(join(descriptors, descriptor)).endsWith(name);
      } catch {
        return false;
      }
    });
  while (!isOpen()) await wait(5);
}

it("prints the same in a separate process as in the process of the tests", { tags: "slow" }, async () => {
  await using cli = cliWorkspace();
  const lines = [
    ["log"],
    ["help", "undo"],
    ["tools", "--json"],
    ["paths"],
    ["models"],
    ["policy", "explain", "run ls"],
    ["sessions"],
    ["approve"],
    ["mcp", "servers"],
    ["mcp", "install", "--client", "codex", "--print"],
    ["completion", "bash"],
    ["checkpoint", "list"],
    ["diff"],
    ["undo"],
    ["redo"],
  ];
  for (const words of lines)
    expect([words, await cli.runProcess(...words)]).toEqual([words, await cli.run(...words)]);
});

describe("an unknown name", () => {
  it("is answered with the nearest one, never with a list", async () => {
    const ends = await runAll(
      ["call", "file.raed", "{}"],
      ["call", "read", "{}"],
      ["call", "zzzzzz", "{}"],
      ["file.read"],
      ["policy", "explain", "npm test"],
      ["policy", "explain", "npm", "run", "a b"],
    );
    expect(ends.map(({ exit, stderr }) => [exit, ...stderr.trimEnd().split("\n")])).toEqual([
      [2, 'Unknown tool "file.raed"', "Did you mean file.read?"],
      [2, 'Unknown tool "read"', "Did you mean file.read or document.read?"],
      [2, 'Unknown tool "zzzzzz"', "List the tools: toolcrib tools"],
      [2, "Unknown command: file.read", "Did you mean `toolcrib call file.read`?"],
      [2, 'Unknown tool "npm"', "To explain a command: toolcrib policy explain 'run npm test'"],
      [2, 'Unknown tool "npm"', `To explain a command: toolcrib policy explain 'run npm run '\\''a b'\\'''`],
    ]);
  });
});

describe("the locale", () => {
  it("C makes all output ASCII", async () => {
    const env = { LC_ALL: "C" };
    const runs = await Promise.all(
      [
        ["--help"],
        ["help", "mcp"],
        ["tools"],
        ["models"],
        ["call", "web.fetch", "--url", "http://127.0.0.1:1/"],
      ].map((words) => run(words, { env })),
    );
    expect(runs.map(({ stdout, stderr }) => isAscii(stdout + stderr))).toEqual(runs.map(() => true));
  });

  it("does not change file contents and JSON in a pipe", async () => {
    writeFileSync(join(workspace, "quote.txt"), "“well” — …\n");
    const words = ["call", "file.read", "--path", "quote.txt", "--no-line-numbers"];
    const [plain, ascii, json] = await Promise.all([
      run(words, { env: { LC_ALL: "C.UTF-8" } }),
      run(words, { env: { LC_ALL: "", LC_CTYPE: "", LANG: "C" } }),
      run([...words, "--json"], { env: { LC_ALL: "C" } }),
    ]);
    expect([plain.stdout, ascii.stdout, JSON.parse(json.stdout).content]).toEqual([
      "“well” — …\n",
      "“well” — …\n",
      "“well” — …\n",
    ]);
  });
});
