import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { workspaceFiles } from "../../system/directories.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { journalBudget } from "../../toolcrib/workspace-journal.ts";
import { npxCommand } from "../mcp/install/install.ts";
import { examineState, showFindings, verdict } from "./doctor.ts";
import { examineClients } from "./examine-mcp.ts";
import { examineModels } from "./examine-models.ts";
import { type Finding, ok, problem } from "./finding.ts";

const sandbox = {
  about: "sandbox",
  state: "note",
  message: "none: commands are not confined, and need approval in every mode but yolo",
  hint: "Use the best available: --sandbox auto",
};

const search = {
  about: "search",
  state: "note",
  message: "no search engine is configured: web.search is not available",
  hint: "Set TOOLCRIB_SEARCH to duckduckgo, brave, tavily, or: searxng https://HOST",
};

describe("toolcrib doctor", () => {
  it("prints ok, warning or problem per line, and ends with a verdict", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace({ HOME: "/nonexistent", XDG_CONFIG_HOME: undefined });
    const { callId } = await write(fixture);
    const { exit, stdout, stderr } = await fixture.runProcess("doctor", "--sandbox", "none");
    const { state } = placesOf(fixture);
    expect({ exit, stderr, rows: stdout.split("\n").map((line) => line.split(/ {2,}/)) }).toEqual({
      exit: 0,
      stderr: "",
      rows: [
        ["ok", "node", process.version],
        ["ok", "programs", expect.stringMatching(/ripgrep \d.*, bash \d/)],
        [
          "warning",
          "git",
          expect.stringMatching(/^git runs programs that the settings of any folder with HEAD/),
        ],
        [
          "",
          "Make it ignore such folders: git config --global safe.bareRepository explicit (older cargo, SwiftPM and Composer cannot fetch with it)",
        ],
        ["ok", "workspace", fixture.workspace],
        ["ok", "state", state],
        ["ok", "config", `${join(fixture.home, "config")} (not created yet)`],
        [expect.stringMatching(/ok|warning/), "disk", expect.stringMatching(/^\d.* free for the history/)],
        ["ok", "journal", expect.stringMatching(/^8 records, \d+ kB; none altered; head [0-9a-f]{16}…$/)],
        [
          "ok",
          "undo",
          expect.stringMatching(
            `^\\d old contents? stored, \\d+ bytes of 1.1 GB \\(0 %\\), for 30 days; back to ${callId} `,
          ),
        ],
        ["ok", "sessions", "none open"],
        ["ok", "rules", "built in"],
        ["ok", "code", expect.stringMatching(/^the parser starts; \d+ languages$/)],
        ["ok", "index", "not built yet: the first code search builds it"],
        ["ok", "languages", expect.stringMatching(/^(?:no language servers found|pyright.*)$/)],
        ["ok", "documents", "the reader starts and reads a PDF document"],
        ["warning", "search", search.message],
        ["", search.hint],
        ["warning", "models", "no model is configured"],
        ["", "Set ANTHROPIC_API_KEY, or run: toolcrib models"],
        ["ok", "clients", expect.stringMatching(/^not installed in any MCP client; to install: /)],
        ["warning", "sandbox", sandbox.message],
        ["", sandbox.hint],
        ["ok", "boundary", "enforced: Environment variables of Toolcrib are not passed on"],
        ["ok", "boundary", "enforced: No process keeps running when its command has ended"],
        [""],
        [expect.stringMatching(/^No problems found, \d warnings\.$/)],
        [""],
      ],
    });
  });

  it("finds no problem before the first call", async () => {
    await using fixture = cliWorkspace();
    const { findings, figures } = await examineStored(fixture);
    expect({
      faults: findings.filter(({ state }) => state === "wrong"),
      records: figures.proof?.records,
      contents: figures.survey?.contents,
    }).toEqual({ faults: [], records: 0, contents: { count: 0, bytes: 0 } });
  });

  it("stores no state for a missing workspace, and reports it", async () => {
    await using fixture = cliWorkspace();
    const missing = join(fixture.workspace, "missing");
    const { exit, stdout, stderr } = await fixture.run("doctor", "--sandbox", "none", "-C", missing);
    expect({ exit, stdout, stderr, state: existsSync(dirname(placesOf(fixture).state)) }).toEqual({
      exit: 2,
      stdout: "",
      stderr: expect.stringMatching(/^The workspace .*missing cannot be opened: ENOENT/),
      state: false,
    });
  });

  it("finds files that other users can read or write", async () => {
    await using fixture = cliWorkspace();
    await write(fixture);
    const { state } = placesOf(fixture);
    fixture.write(fixture.userRules, "# none\n");
    chmodSync(join(state, "blobs"), 0o755);
    chmodSync(fixture.userRules, 0o666);
    expect(await faults(fixture)).toEqual([
      {
        about: "state",
        message: `${join(state, "blobs")} is open to other users`,
        hint: `Close it: chmod go-rwx '${join(state, "blobs")}'`,
      },
      {
        about: "config",
        message: `${fixture.userRules} is open to other users`,
        hint: `Close it: chmod go-w '${fixture.userRules}'`,
      },
    ]);
  });

  it("finds a journal that was altered", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    await write(fixture);
    const database = new DatabaseSync(placesOf(fixture).journal);
    database.exec("DELETE FROM records WHERE sequence = 4");
    database.close();
    const { isWell, findings } = await examine(fixture);
    expect([isWell, findings.filter(({ state }) => state === "wrong")]).toEqual([
      false,
      [
        {
          about: "journal",
          state: "wrong",
          message: "Record 4 is missing.",
          hint: "Do not rely on this record or later ones; the records before it are intact.",
        },
      ],
    ]);
  });

  it("finds missing and damaged contents", async () => {
    await using fixture = cliWorkspace();
    await write(fixture);
    await write(fixture);
    const blobs = join(placesOf(fixture).state, "blobs");
    const files = readdirSync(blobs, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.length > 60,
    );
    for (const name of files) writeFileSync(join(blobs, name), "evil");
    const damaged = await faults(fixture);
    rmSync(blobs, { recursive: true });
    const missing = await faults(fixture);
    const hint = "Restore the lost files from git or a backup.";
    const message = (fault: string) =>
      expect.stringMatching(
        `^a.txt of call_.* cannot be restored: of 2 old contents for undo of the latest calls, 2 ${fault}$`,
      );
    expect([damaged, missing]).toEqual([
      [{ about: "undo", message: message("damaged"), hint }],
      [{ about: "undo", message: message("missing"), hint }],
    ]);
  });

  it("finds a broken journal, leaves it for the next call to move aside, and then reports where it is", async () => {
    await using fixture = cliWorkspace();
    const { journal, state } = placesOf(fixture);
    mkdirSync(dirname(journal), { recursive: true, mode: 0o700 });
    writeFileSync(journal, "garbage ".repeat(1000), { mode: 0o600 });
    const broken = await faults(fixture);
    const untouched = readFileSync(journal, "utf8").startsWith("garbage");
    await fixture.run("call", "file.write", "--path", "a", "--content", "b");
    const after = await faults(fixture);
    const [name] = readdirSync(state).filter((entry) => entry.includes("damaged"));
    expect({ broken, untouched, after }).toEqual({
      broken: [
        {
          about: "journal",
          message: "record 1 cannot be read: file is not a database",
          hint: "Copy the journal now if you want to repair it: the next call moves it aside and starts a new one.",
        },
      ],
      untouched: true,
      after: [
        {
          about: "set aside",
          message: `a damaged journal of 8.0 kB: ${join(state, name!)}`,
          hint: "Delete it, with its -wal and -shm files, when you no longer need it. Its calls cannot be undone.",
        },
      ],
    });
  });

  it("finds an empty or deleted journal, which the next call reports too", async () => {
    for (const lose of [rmSync, (file: string) => truncateSync(file)]) {
      await using fixture = cliWorkspace();
      await write(fixture);
      const { journal } = placesOf(fixture);
      for (const beside of ["-wal", "-shm"]) rmSync(journal + beside, { force: true });
      lose(journal);
      const lost = await faults(fixture);
      const { stderr } = await fixture.run("call", "file.write", "--path", "a", "--content", "b");
      expect({ lost, after: await faults(fixture) }).toEqual({
        lost: [
          {
            about: "journal",
            message:
              "record 1 cannot be read: it is empty or was deleted, but contents of earlier calls exist",
            hint: "Copy the journal now if you want to repair it: the next call moves it aside and starts a new one.",
          },
        ],
        after: [
          {
            about: "set aside",
            message: expect.stringContaining("a damaged journal of 0 bytes: "),
            hint: expect.stringContaining("Its calls cannot be undone."),
          },
        ],
      });
      expect(stderr).toContain("is damaged (it is empty or was deleted,");
    }
  });

  it("reports why the journal cannot be used, and continues", async () => {
    await using unmade = cliWorkspace();
    unmade.write(join(unmade.home, "workspaces"), "no folder");
    await using unopened = cliWorkspace();
    mkdirSync(placesOf(unopened).journal, { recursive: true, mode: 0o700 });
    expect([await faults(unmade), await faults(unopened)]).toEqual([
      [
        {
          about: "state",
          message: expect.stringMatching(/ cannot be created: .*workspaces is a file$/),
          hint: "Move it away, or set TOOLCRIB_HOME to a writable folder.",
        },
        {
          about: "journal",
          message: expect.stringMatching(/^The folder .* cannot be created: /),
          hint: "Set TOOLCRIB_HOME to a writable folder.",
        },
      ],
      [
        {
          about: "journal",
          message: expect.stringMatching(/^The journal .* cannot be used: /),
          hint: "Free disk space, or set TOOLCRIB_HOME to a writable folder.",
        },
      ],
    ]);
  });

  it("does not miss a journal before anything was recorded", async () => {
    await using fixture = cliWorkspace();
    const first = await fixture.run("call", "file.list");
    const second = await fixture.run("call", "file.list");
    expect([first.stderr, second.stderr, await faults(fixture)]).toEqual(["", "", []]);
  });

  it("finds rules that cannot be read", async () => {
    await using fixture = cliWorkspace();
    fixture.write(fixture.userRules, "permit everything\n");
    chmodSync(fixture.userRules, 0o600);
    chmodSync(dirname(fixture.userRules), 0o700);
    expect((await faults(fixture)).map(({ about, message }) => [about, message])).toEqual([
      ["rules", expect.stringMatching(/rules:1/)],
    ]);
  });

  it("reports untrusted rules and interrupted calls", { tags: "slow" }, async () => {
    await using home = temporaryFolder();
    writeFileSync(join(home.path, ".gitconfig"), "[safe]\n\tbareRepository = explicit\n");
    await using fixture = cliWorkspace({ HOME: home.path, XDG_CONFIG_HOME: undefined });
    fixture.write(".toolcrib/rules", "allow run **\n");
    const { journal } = placesOf(fixture);
    mkdirSync(dirname(journal), { recursive: true, mode: 0o700 });
    const script = `
      import { Journal } from ${JSON.stringify(join(import.meta.dirname, "../../journal/journal.ts"))};
      const journal = new Journal({ file: ${JSON.stringify(journal)}, session: "killed" });
      journal.begin({ callId: "call_killed", tool: "file.write", input: {}, startedAt: 1 });
      process.kill(process.pid, "SIGKILL");`;
    spawnSync(process.execPath, ["--input-type=module", "--eval", script]);
    const { isWell, findings } = await examine(fixture);
    expect([isWell, findings.filter(({ state }) => state === "note")]).toEqual([
      true,
      [
        {
          about: "calls",
          state: "note",
          message: "1 interrupted call (the process died); the latest: call_killed (file.write)",
          hint: "Show what a call changed: toolcrib diff <call>. Undo it: toolcrib undo <call>",
        },
        {
          about: "rules",
          state: "note",
          message: ".toolcrib/rules is not trusted: its rules can only deny",
          hint: "Review and trust them: toolcrib policy trust",
        },
        search,
        expect.objectContaining({ about: "models", message: "no model is configured" }),
        sandbox,
      ],
    ]);
  });
});

describe("the models of doctor", () => {
  it("are reported with their keys, and an unusable provider as a warning", async () => {
    await using folder = temporaryFolder();
    const server = createServer((_, response) => response.end('{"data":[{"id":"tiny"}]}')).listen(0);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const local = (at: number) => ({ type: "openai-chat", baseUrl: `http://127.0.0.1:${at}/v1` });
    const providers = { mine: { ...local(port), apiKeyFrom: "MY_KEY" }, gone: local(1) };
    writeFileSync(join(folder.path, "models.json"), JSON.stringify({ providers }), { mode: 0o600 });
    const findings = await examineModels(folder.path, { MY_KEY: "0123456789abcdef" });
    server.close();
    expect(findings.map(({ state, message }) => [state, message])).toEqual([
      ["well", "mine: 1 model, key from MY_KEY"],
      ["note", expect.stringMatching(/^gone: /)],
      ["well", "default: mine/tiny"],
    ]);
  });

  it("are a problem when models.json is invalid", async () => {
    await using folder = temporaryFolder();
    writeFileSync(join(folder.path, "models.json"), "{", { mode: 0o600 });
    expect((await examineModels(folder.path, {})).map(({ state, about }) => [state, about])).toEqual([
      ["wrong", "models"],
    ]);
  });
});

describe("the MCP clients of doctor", () => {
  it("are listed when they start Toolcrib, and a problem when its program is missing", async () => {
    await using folder = temporaryFolder();
    const write = (file: string, servers: object) => {
      mkdirSync(dirname(join(folder.path, file)), { recursive: true });
      writeFileSync(join(folder.path, file), JSON.stringify({ mcpServers: servers }));
    };
    const [command, ...args] = npxCommand("toolcrib", []);
    write(".mcp.json", {
      toolcrib: { command, args },
      "x; evil": { command: "npx", args: ["-y", "toolcrib", "mcp"] },
      other: { command: "x" },
    });
    write(".cursor/mcp.json", {
      toolcrib: { command: process.execPath, args: ["/gone/toolcrib.js", "mcp"] },
    });
    expect(await examineClients(folder.path, { HOME: "/nonexistent" })).toEqual([
      { about: "clients", state: "well", message: `Claude Code starts "toolcrib": ${folder.path}/.mcp.json` },
      {
        about: "clients",
        state: "note",
        message:
          'Claude Code starts "x; evil" by npx in the workspace, where a repository can bring its own program',
        hint: "Install it again: toolcrib mcp install --client claude --scope project --name 'x; evil'",
      },
      {
        about: "clients",
        state: "wrong",
        message: 'Cursor starts "toolcrib" with /gone/toolcrib.js, which does not exist',
        hint: "Install it again: toolcrib mcp install --client cursor --scope project",
      },
    ]);
  });
});

it("shows long findings below each other on a narrow terminal", () => {
  const findings = [
    ok("node", "v24"),
    problem("disk", "almost no free space is left on the disk", "Free some."),
  ];
  expect(stripVTControlCharacters(showFindings(findings, 50)) + verdict(findings)).toBe(`ok       node  v24
problem  disk  almost no free space is left on the
               disk
               Free some.
1 problem found, 0 warnings.`);
});

interface Examined {
  readonly isWell: boolean;
  readonly findings: readonly Finding[];
}

async function examine(fixture: CliWorkspace): Promise<Examined> {
  const { exit, stdout, stderr } = await fixture.run("doctor", "--json", "--sandbox", "none");
  expect(stderr).toBe("");
  const examined: Examined = JSON.parse(stdout);
  expect(exit).toBe(examined.isWell ? 0 : 1);
  return examined;
}

/** The findings of doctor about the files that Toolcrib stores. */
async function examineStored({ workspace, home }: CliWorkspace): ReturnType<typeof examineState> {
  const folders = { workspace, state: home, config: join(home, "config") };
  const { signal } = new AbortController();
  const examination = await examineState(folders, journalBudget({}), { signal, collects: false });
  expect(examination.warnings).toEqual([]);
  return examination;
}

async function faults(fixture: CliWorkspace): Promise<readonly Omit<Finding, "state">[]> {
  const { findings } = await examineStored(fixture);
  return findings.flatMap(({ state, ...finding }) => (state === "wrong" ? [finding] : []));
}

/** Two calls that change a file. */
async function write({ workspace, home }: CliWorkspace): Promise<{ readonly callId: string }> {
  const crib = await openToolcrib({ workspace, stateDirectory: home, configDirectory: join(home, "config") });
  const first = await crib.call("file.write", { path: "a.txt", content: "one\n" });
  const second = await crib.call("file.write", { path: "a.txt", content: "two\n" });
  expect([first.error, second.error]).toEqual([null, null]);
  await crib.close();
  return first;
}

function placesOf({ workspace, home }: CliWorkspace): { readonly journal: string; readonly state: string } {
  const { journal } = workspaceFiles(home, workspace);
  return { journal, state: dirname(journal) };
}
