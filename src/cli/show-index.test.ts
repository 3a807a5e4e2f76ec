import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../test/support/cli-workspace.ts";
import { embeddingServer } from "../../test/support/embeddings/embedding-server.ts";
import { userDirectories, workspaceFiles } from "../system/directories.ts";
import { WorkspaceIndex } from "../toolcrib/workspace-index.ts";

const fileOf = ({ home, workspace }: CliWorkspace) => join(workspaceFiles(home, workspace).index, "index.db");

it("builds the index, reports its contents, also as JSON, and deletes it", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  fixture.write("greet.ts", "export function greet() {}\n");
  fixture.write("notes.txt", "hello\n");
  fixture.write(".env", "TOKEN=1\n");
  const steps = [
    await fixture.runProcess("index"),
    await fixture.run("index", "clear"),
    await fixture.run("index", "clear"),
  ];
  const built = await fixture.runProcess("index", "--json");
  const cleared = await fixture.run("index", "clear", "--json");
  const file = fileOf(fixture);
  expect(steps).toEqual([
    {
      exit: 0,
      stdout: expect.stringMatching(/^2 files indexed, 1 of them with symbols; \d+ kB\.\n$/),
      stderr: "",
    },
    { exit: 0, stdout: expect.stringMatching(/^Deleted the index: \d+ kB\.\n$/), stderr: "" },
    { exit: 0, stdout: "The folder has no index.\n", stderr: "" },
  ]);
  expect([built.stdout, cleared.stdout].map((text) => JSON.parse(text))).toEqual([
    { files: 2, indexed: 2, outlined: 1, outlinable: 1, bytes: expect.any(Number), file, problem: null },
    { bytes: JSON.parse(built.stdout).bytes, file },
  ]);
  expect(existsSync(file)).toBe(false);
});

it("fails when the index cannot be stored, and explains why", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  fixture.write("greet.ts", "export function greet() {}\n");
  // A file where the folder should be.
  fixture.write(workspaceFiles(fixture.home, fixture.workspace).index, "");
  const { exit, stdout, stderr } = await fixture.runProcess("index");
  expect({ exit, stdout, stderr }).toEqual({
    exit: 1,
    stdout: "1 file indexed, 1 of them with symbols; 0 bytes.\n",
    stderr: expect.stringMatching(/^The index is only in memory: .* cannot be created: /),
  });
});

it("makes vectors with the user's model, and names the model, the address and the tokens sent", {
  tags: "slow",
}, async () => {
  await using server = await embeddingServer();
  await using fixture = cliWorkspace({ OLLAMA_HOST: server.address });
  fixture.write("greet.ts", "export function greetEveryGuest(): void {}\n");
  fixture.write(join(fixture.home, "config/config.toml"), 'embeddings = "ollama/words"\n');
  // A project cannot choose where code is sent.
  fixture.write(".toolcrib/config.toml", 'embeddings = "openai/evil"\n');
  const built = await fixture.runProcess("index");
  expect(built.stdout).toMatch(
    /; \d+ kB\.\n1 of 1 piece have vectors of ollama\/words; \d+ tokens sent\.\n$/,
  );
  const status = await fixture.run("index", "status");
  expect(status.stdout).toMatch(
    new RegExp(
      `\\.\n1 vector of ollama/words; \\d+ tokens sent\\.\nCode is sent to ollama/words at ${server.address}\\.\n$`,
    ),
  );
  const found = await fixture.runProcess("call", "code.search", "salute");
  expect(found.stdout).toMatch(/^greet\.ts:1 function greetEveryGuest {2}\(meaning\)\n/);
  expect(found.stderr).toContain("a project cannot choose where code is sent; only your own config.toml can");
  expect(server.received.map(({ body }) => body.model)).toEqual(["words", "words"]);
  const vectors = join(dirname(fileOf(fixture)), "vectors.db");
  writeFileSync(vectors, readFileSync(vectors).fill(0xff, 4096));
  const damaged = await fixture.run("index", "status");
  expect([damaged.exit, damaged.stdout]).toEqual([
    0,
    expect.stringContaining("\nThe vectors are damaged. The next search makes them again.\n"),
  ]);
  await fixture.run("index", "clear");
  expect(existsSync(vectors)).toBe(false);
});

it("refuses other subcommands", async () => {
  await using fixture = cliWorkspace();
  expect(await fixture.run("index", "build")).toEqual({
    exit: 2,
    stdout: "",
    stderr: "Unknown subcommand: toolcrib index build\nSee: toolcrib help index\n",
  });
});

describe("the background indexer", () => {
  /** Up to 100 files are read without a lock, and a search waits long for up to 500. */
  const files = (from: number, to: number, fixture: CliWorkspace) => {
    for (let number = from; number < to; number++)
      fixture.write(`src/f${number}.ts`, `export function made${number}() {}\n`);
  };
  const indexOf = ({ home, workspace }: CliWorkspace) =>
    new WorkspaceIndex({ workspace, ...userDirectories({ TOOLCRIB_HOME: home }) });
  const wordsOf = (fixture: CliWorkspace) => {
    const database = new DatabaseSync(fileOf(fixture), { readOnly: true, timeout: 5000 });
    try {
      return Number(database.prepare("SELECT count(*) AS count FROM files WHERE words <> 0").get()!.count);
    } finally {
      database.close();
    }
  };
  /** Holds a lock of the index, as another process would; undefined when another process holds it. */
  const lock = (fixture: CliWorkspace, name: "building.db" | "background.db") => {
    const database = new DatabaseSync(join(dirname(fileOf(fixture)), name), { timeout: 0 });
    try {
      database.exec("BEGIN EXCLUSIVE");
      return database;
    } catch {
      database.close();
      return undefined;
    }
  };

  /** Starts it, and waits until it is at work. */
  const started = async (fixture: CliWorkspace) => {
    const child = fixture.start("index", "--background");
    const ended = once(child, "exit");
    await vi.waitUntil(() => indexOf(fixture).builder === child.pid, { timeout: 60_000 });
    return { child, ended };
  };

  it("finishes the index that a call began, unless the call has rules of its own, and ends", {
    tags: "slow",
  }, async () => {
    await using fixture = cliWorkspace();
    files(0, 1, fixture);
    await fixture.runProcess("index");
    files(1, 520, fixture);
    const building = lock(fixture, "building.db")!;
    const search = ["call", "code.search", "--query", "made7", "--json"];
    fixture.write("more.rules", "deny read src/f519.ts\n");
    const options = [
      ["--rule-file", "more.rules"],
      ["--rule", "deny read src/f519.ts"],
    ];
    for (const own of options) {
      await fixture.runProcess(...search, ...own);
      const background = lock(fixture, "background.db");
      expect([indexOf(fixture).builder, background === undefined]).toEqual([undefined, false]);
      background!.close();
    }
    rmSync(join(fixture.workspace, "more.rules"));
    const searched = await fixture.runProcess(...search);
    expect(JSON.parse(searched.stdout).data.index).toMatchObject({
      files: 520,
      indexed: 1,
      isBuilding: true,
    });
    await vi.waitUntil(() => indexOf(fixture).builder !== undefined, { timeout: 60_000 });
    // It attacks no sandbox, which takes seconds.
    const doctor = await fixture.run("doctor", "--sandbox", "none");
    expect(doctor.stdout).toContain(`process ${indexOf(fixture).builder} is building it in the background`);
    // Only one runs at a time.
    expect(await fixture.runProcess("index", "--background")).toEqual({ exit: 0, stdout: "", stderr: "" });
    building.close();
    await vi.waitUntil(() => indexOf(fixture).builder === undefined, { timeout: 60_000 });
    expect(wordsOf(fixture)).toBe(520);
  });

  it("is named by `index status`, and ended by `index stop`, which keeps what is built, and `index clear`", {
    tags: "slow",
  }, async () => {
    await using fixture = cliWorkspace();
    const none = [await fixture.run("index", "status"), await fixture.run("index", "stop")];
    expect(none.map(({ stdout }) => stdout)).toEqual([
      "The folder has no index.\n",
      "No process builds the index in the background.\n",
    ]);
    files(0, 1, fixture);
    await fixture.runProcess("index");
    files(1, 120, fixture);
    const building = lock(fixture, "building.db")!;
    const { child, ended } = await started(fixture);
    expect(getPriority(child.pid)).toBe(19);
    const status = await fixture.run("index", "status");
    expect(status.stdout).toMatch(/^The index has \d+ kB\.\nProcess \d+ is building it in the background\. /);
    const asJson = await fixture.run("index", "status", "--json");
    const file = fileOf(fixture);
    expect(JSON.parse(asJson.stdout)).toEqual({
      bytes: expect.any(Number),
      file,
      builder: child.pid,
      vectors: null,
      embeddings: null,
    });
    const stopped = await fixture.run("index", "stop");
    expect(stopped.stdout).toBe(`Stopped process ${child.pid}. The index keeps what is built.\n`);
    await ended;
    expect([indexOf(fixture).builder, wordsOf(fixture)]).toEqual([undefined, 1]);
    const again = await started(fixture);
    await fixture.run("index", "clear");
    await again.ended;
    expect(indexOf(fixture).builder).toBe(undefined);
    building.close();
  });

  it("ends when the workspace is deleted", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    files(0, 120, fixture);
    mkdirSync(dirname(fileOf(fixture)), { recursive: true, mode: 0o700 });
    const building = lock(fixture, "building.db")!;
    const { ended } = await started(fixture);
    rmSync(fixture.workspace, { recursive: true });
    expect(await ended).toEqual([0, null]);
    building.close();
  });
});
