import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { snapshot } from "../../../test/support/environment/change-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());
let worlds = 0;

/** A workspace in which instances are opened one after the other, or in parallel. */
function newWorld(): {
  readonly open: (options?: ToolcribOptions) => Promise<Toolcrib>;
  readonly now: () => object;
  readonly workspace: string;
  /** The folder of the workspace's state, by its name. */
  readonly kept: string;
  readonly write: (path: string, content: string) => void;
  readonly read: (path: string) => string;
} {
  worlds += 1;
  const home = join(folder.path, `world ${worlds}`);
  const workspace = join(home, "workspace");
  mkdirSync(join(workspace, "src"), { recursive: true });
  const write = (path: string, content: string) => writeFileSync(join(workspace, path), content);
  write("src/a.txt", "one\n");
  write("src/b.txt", "two\n");
  const directories = { stateDirectory: join(home, "state"), configDirectory: join(home, "config") };
  return {
    open: (options = {}) => openToolcrib({ workspace, ...directories, mode: "yolo", ...options }),
    now: () => snapshot(workspace),
    workspace,
    kept: join(home, "state/workspaces"),
    write,
    read: (path) => readFileSync(join(workspace, path), "utf8"),
  };
}

/** Several calls that change, create, delete and move files. */
async function change(crib: Toolcrib): Promise<void> {
  for (const [tool, input] of [
    ["edit.replace", { path: "src/a.txt", find: "one", replace: "1" }],
    ["file.write", { path: "new/c.txt", content: "three\n" }],
    ["file.move", { from: "src/b.txt", to: "new/b.txt" }],
    ["edit.replace", { path: "new/b.txt", find: "two", replace: "2" }],
  ] as const)
    expect(await crib.call(tool, input)).toMatchObject({ isError: false });
}

const dataOf = async (crib: Toolcrib, tool: string, input: object = {}) =>
  (await crib.call(tool, input)).data;

describe("a transaction", () => {
  it("is rolled back whole on request, and the rollback can be undone", async () => {
    const world = newWorld();
    const before = world.now();
    const crib = await world.open();
    const begun = await crib.call("transaction.begin", { name: "refactoring" });
    const { id } = begun.data as { id: string };
    expect(begun.content).toBe(
      `Began ${id}. Every change belongs to it until transaction.commit or transaction.rollback.`,
    );
    await change(crib);
    const after = world.now();
    const rolledBack = await crib.call("transaction.rollback", {});
    expect(rolledBack.data).toMatchObject({ id, name: "refactoring", left: [] });
    expect(world.now()).toEqual(before);
    await crib.call("journal.undo", { redo: true });
    expect(world.now()).toEqual(after);
    expect((await crib.call("transaction.rollback", {})).error).toEqual({
      code: "not-found",
      message: "No transaction is open",
      hint: "Begin one with transaction.begin.",
    });
    await crib.close();
  });

  it.each(["its id", "one of its calls", "the latest"])(
    "becomes one undo entry once it is committed by %s",
    async (by) => {
      const world = newWorld();
      const before = world.now();
      const crib = await world.open();
      await crib.call("file.write", { path: "earlier.txt", content: "stays" });
      const earlier = world.now();
      await crib.call("transaction.begin", {});
      await change(crib);
      const { id, calls } = (await dataOf(crib, "transaction.commit")) as { id: string; calls: string[] };
      const { calls: shown, files } = (await dataOf(crib, "journal.diff", { call: id })) as {
        calls: string[];
        files: { path: string }[];
      };
      expect([shown, files.map(({ path }) => path).sort()]).toEqual([
        calls,
        ["new", "new/b.txt", "new/c.txt", "src/a.txt", "src/b.txt"],
      ]);
      const selection = { "its id": { call: id }, "one of its calls": { call: calls[1] } }[by] ?? { last: 1 };
      const undone = await crib.call("journal.undo", selection);
      expect(undone.content).toContain(`${id} was committed as a unit and is undone as a unit.`);
      expect(world.now()).toEqual(earlier);
      await crib.call("journal.undo", { last: 1 });
      expect(world.now()).toEqual(before);
      await crib.close();
    },
  );

  it("does not nest", async () => {
    const world = newWorld();
    const crib = await world.open();
    const { id } = (await dataOf(crib, "transaction.begin", { name: "first" })) as { id: string };
    expect((await crib.call("transaction.begin", {})).error).toEqual({
      code: "already-exists",
      message: `The transaction "first" (${id}) is already open`,
      hint: "Commit it or roll it back first: transactions do not nest.",
    });
    await crib.close();
  });

  it("fails for files changed by others since, leaves them, and stays open for them", async () => {
    const world = newWorld();
    const crib = await world.open();
    const { id } = (await dataOf(crib, "transaction.begin")) as { id: string };
    await change(crib);
    world.write("src/a.txt", "theirs\n");
    const { error } = await crib.call("transaction.rollback", {});
    expect([error?.code, error?.message.replace(/call_\w+/, "call"), error?.hint]).toEqual([
      "stale",
      expect.stringMatching(
        new RegExp(
          `^${id} was rolled back only in part: \\d paths? restored, 1 left alone.\nLeft alone: src/a.txt has changed since call.`,
        ),
      ),
      "The transaction is still open: fix these files and roll back again, or commit to keep them.",
    ]);
    expect(["src/a.txt", "src/b.txt"].map(world.read)).toEqual(["theirs\n", "two\n"]);
    world.write("src/a.txt", "1\n");
    expect(await dataOf(crib, "transaction.rollback")).toMatchObject({ paths: ["src/a.txt"], left: [] });
    expect(world.read("src/a.txt")).toBe("one\n");
    await crib.close();
  });

  it("is rolled back when its instance closes, with a notice", async () => {
    const world = newWorld();
    const before = world.now();
    const crib = await world.open();
    const { id } = (await dataOf(crib, "transaction.begin")) as { id: string };
    await change(crib);
    await crib.close();
    expect(world.now()).toEqual(before);
    expect(crib.warnings).toEqual([
      `The transaction ${id} was still open when its instance was closed, and was rolled back.`,
    ]);
    const next = await world.open();
    expect(next.log({ limit: 1 })).toMatchObject([
      { tool: "transaction.rollback", outcome: "ok", input: { why: "its instance was closed" } },
    ]);
    expect((await next.call("transaction.commit", {})).error?.code).toBe("not-found");
    await next.close();
  });

  it("is resumed by the next instance when it is parked", async () => {
    const world = newWorld();
    const before = world.now();
    const inFixture = async (tool: string, input: object = {}) => {
      const crib = await world.open({ parkTransaction: true });
      const result = await crib.call(tool, input);
      await crib.close();
      expect(crib.warnings).toEqual([]);
      return result;
    };
    await inFixture("transaction.begin");
    await inFixture("file.write", { path: "src/a.txt", content: "1\n" });
    await inFixture("file.delete", { path: "src/b.txt" });
    expect((await inFixture("transaction.begin")).error?.code).toBe("already-exists");
    expect(world.now()).not.toEqual(before);
    // An instance of another kind is independent of it.
    const other = await world.open();
    expect((await other.call("transaction.commit", {})).error?.code).toBe("not-found");
    await other.close();
    expect((await inFixture("transaction.rollback")).isError).toBe(false);
    expect(world.now()).toEqual(before);
    expect((await inFixture("transaction.commit")).error?.code).toBe("not-found");
  });

  describe("whose process died while it worked on the parked transaction", () => {
    async function abandon(world: ReturnType<typeof newWorld>): Promise<string> {
      const crib = await world.open({ parkTransaction: true });
      const { id } = (await dataOf(crib, "transaction.begin")) as { id: string };
      await crib.call("edit.replace", { path: "src/a.txt", find: "one", replace: "1" });
      await crib.close();
      const [parked] = globSync("*/transactions/*.parked", { cwd: world.kept });
      const dead = parked!.replace(/parked$/, "999999999-1-0-0.shared");
      renameSync(join(world.kept, parked!), join(world.kept, dead));
      return id;
    }

    it("leaves files whose content is lost, and ends", async () => {
      const world = newWorld();
      const transaction = await abandon(world);
      for (const blobs of globSync("*/blobs", { cwd: world.kept }))
        rmSync(join(world.kept, blobs), { recursive: true });
      const crib = await world.open({ parkTransaction: true });
      const leftAlone = ["src/a.txt"];
      expect(crib.recovered).toEqual([{ outcome: "taken back", transaction, paths: [], leftAlone }]);
      expect((await crib.call("transaction.begin", {})).isError).toBe(false);
      await crib.close();
    });

    it("is retried at every start until it can be rolled back, and blocks no other work", async () => {
      const world = newWorld();
      const transaction = await abandon(world);
      const damaged = new Map<string, Buffer>();
      for (const blob of globSync("*/blobs/*/*", { cwd: world.kept })) {
        damaged.set(join(world.kept, blob), readFileSync(join(world.kept, blob)));
        writeFileSync(join(world.kept, blob), "damaged");
      }
      const first = await world.open({ parkTransaction: true });
      expect(first.recovered).toEqual([{ outcome: "failed", transaction, paths: [], leftAlone: [] }]);
      expect((await first.call("file.read", { path: "src/a.txt" })).content).toContain("1");
      await first.close();
      for (const [path, content] of damaged) writeFileSync(path, content);
      const [held] = globSync("*/transactions/*", { cwd: world.kept });
      renameSync(join(world.kept, held!), join(world.kept, held!.replace(/\.\d+-/, ".999999999-")));
      const second = await world.open({ parkTransaction: true });
      expect(second.recovered).toMatchObject([{ outcome: "taken back", paths: ["src/a.txt"] }]);
      expect(world.read("src/a.txt")).toBe("one\n");
      await second.close();
    });
  });

  it("belongs to one instance, and conflicts only over files that both changed", async () => {
    const world = newWorld();
    const [one, other] = [await world.open(), await world.open()];
    await one.call("transaction.begin", {});
    await other.call("transaction.begin", {});
    await one.call("file.write", { path: "src/a.txt", content: "of one\n" });
    await other.call("file.write", { path: "src/a.txt", content: "of the other\n" });
    await one.call("file.write", { path: "one.txt", content: "" });
    await other.call("file.write", { path: "other.txt", content: "" });
    const { error } = await one.call("transaction.rollback", {});
    expect(error?.message).toMatch(
      /rolled back only in part: 1 path restored, 1 left alone.\nLeft alone: src\/a.txt/,
    );
    expect(world.read("src/a.txt")).toBe("of the other\n");
    expect(await dataOf(other, "transaction.commit")).toMatchObject({ name: undefined });
    await one.call("transaction.commit", {});
    await one.close();
    await other.close();
    expect(["src/a.txt", "other.txt"].map(world.read)).toEqual(["of the other\n", ""]);
  });
});

describe("a check", () => {
  it("keeps the transaction open when it passes", async () => {
    const world = newWorld();
    const crib = await world.open();
    await crib.call("transaction.begin", {});
    await crib.call("file.write", { path: "src/a.txt", content: "1\n" });
    const passed = await crib.call("transaction.check", { command: "cat src/a.txt; echo fine >&2" });
    expect(passed.content).toMatch(
      /^(?:1\n\[stderr\]\nfine|\[stderr\]\nfine\n\[stdout\]\n1)\nThe check passed\./,
    );
    const { level: sandbox } = await crib.sandbox();
    expect(passed.data).toEqual({ passed: true, exitCode: 0, timedOut: false, sandbox, rolledBack: null });
    expect(await dataOf(crib, "transaction.commit")).toMatchObject({ calls: { length: 2 } });
    expect(world.read("src/a.txt")).toBe("1\n");
    await crib.close();
  });

  it("rolls everything back when it fails, including changes of its own command", async () => {
    const world = newWorld();
    const before = world.now();
    const crib = await world.open();
    const { id } = (await dataOf(crib, "transaction.begin")) as { id: string };
    await change(crib);
    const failed = await crib.call("transaction.check", {
      command: "echo built > built.txt; rm new/c.txt; echo broken; exit 3",
    });
    expect(failed.content).toContain(`broken\nThe check failed with exit code 3.\n`);
    expect(failed.content).toContain(`Rolled back ${id}: `);
    expect(failed.data).toMatchObject({ passed: false, exitCode: 3, rolledBack: { id, left: [] } });
    expect(world.now()).toEqual(before);
    expect((await crib.call("transaction.commit", {})).error?.code).toBe("not-found");
    await crib.close();
  });

  it("reports, as the rollback does, that ignored folders of programs are not restored", {
    tags: "slow",
  }, async () => {
    const world = newWorld();
    mkdirSync(join(world.workspace, "target"));
    world.write(".gitignore", "target/\n");
    world.write("target/a.txt", "precious\n");
    const note = "any change inside ignored folders (target)";
    const crib = await world.open();
    await crib.call("transaction.begin", {});
    const command = "echo lost > target/a.txt";
    const passed = await crib.call("transaction.check", { command });
    const { level } = await crib.sandbox();
    const confined = level === "bwrap" ? "" : `\n[sandbox: ${level}]`;
    expect(passed.content).toBe(`The check passed.${confined}\n[Undo does not cover: ${note}]`);
    expect(await dataOf(crib, "transaction.rollback")).toMatchObject({
      paths: [],
      left: [],
      notes: [`Not restored: ${note}.`],
    });
    await crib.call("transaction.begin", {});
    const failed = await crib.call("transaction.check", { command: `${command}; exit 1` });
    expect(failed.content).toContain(`[Undo does not cover: ${note}]`);
    await crib.close();
  });

  it("reports a failure that cannot be rolled back, and keeps the transaction open", async () => {
    const world = newWorld();
    const crib = await world.open();
    await crib.call("transaction.begin", {});
    await crib.call("file.write", { path: "src/a.txt", content: "1\n" });
    for (const blob of globSync("*/blobs/*/*", { cwd: world.kept }))
      writeFileSync(join(world.kept, blob), "damaged");
    const { error } = await crib.call("transaction.check", { command: "exit 3" });
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^The check failed with exit code 3, and its changes could not be rolled back: ./,
      ),
      hint: "The transaction is still open: fix the cause, then call transaction.rollback.",
    });
    expect(await crib.call("transaction.commit", {})).toMatchObject({ isError: false });
    await crib.close();
  });

  it("fails when it takes too long", { tags: "slow" }, async () => {
    const world = newWorld();
    const before = world.now();
    const crib = await world.open();
    await crib.call("transaction.begin", {});
    await crib.call("file.write", { path: "src/a.txt", content: "1\n" });
    const ended = await crib.call("transaction.check", { command: "sleep 60", timeout_ms: 200 });
    expect(ended.data).toMatchObject({ passed: false, exitCode: null, timedOut: true });
    expect(world.now()).toEqual(before);
    await crib.close();
  });

  it("is checked by the policy like any command, and needs a transaction", async () => {
    const world = newWorld();
    const crib = await world.open({ rules: ["deny run rm **"] });
    expect((await crib.call("transaction.check", { command: "true" })).error?.code).toBe("not-found");
    await crib.call("transaction.begin", {});
    expect((await crib.call("transaction.check", { command: "rm -rf src" })).error?.code).toBe("denied");
    await crib.call("transaction.commit", {});
    await crib.close();
  });
});

it("is rolled back by the next start of the same process when closing could not reach the workspace", async () => {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  let isLost = false;
  const unlessLost = <Result>(act: () => Promise<Result>): Promise<Result> =>
    isLost ? Promise.reject(new ToolError("unavailable", "The connection was lost")) : act();
  const local = openLocalEnvironment({ workspace });
  const environment = overrideEnvironment(local, {
    name: "elsewhere",
    state: (...given) => unlessLost(() => local.state(...given)),
    change: (...given) => unlessLost(() => local.change(...given)),
    changeEntry: (...given) => unlessLost(() => local.changeEntry(...given)),
  });
  const directories = {
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  };
  const open = () => openToolcrib({ environment, ...directories, mode: "yolo", sandbox: "none" });
  const first = await open();
  await first.call("transaction.begin", {});
  expect((await first.call("file.write", { path: "a.txt", content: "new" })).error).toBeNull();
  isLost = true;
  await first.close();
  expect(first.warnings.join()).toContain("could not be rolled back");
  expect(existsSync(join(workspace, "a.txt"))).toBe(true);
  isLost = false;
  const second = await open();
  expect(second.recovered).toMatchObject([{ outcome: "taken back", paths: ["a.txt"] }]);
  expect(existsSync(join(workspace, "a.txt"))).toBe(false);
  await second.close();
  await local.close();
});
