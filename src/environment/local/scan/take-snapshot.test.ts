import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isSettled, type Snapshot } from "../../../contract/snapshot.ts";
import { PathChecker } from "../../../system/path-checker.ts";
import { ProcPinning } from "../../../system/pinning.ts";
import { openLocalWorld } from "../../conformance/local-world.ts";
import { takeSnapshot } from "./take-snapshot.ts";

const leftOut = async (world: ReturnType<typeof openLocalWorld>) => {
  const { leftOut: why } = await world.environment.listEntries!();
  return Object.fromEntries(why);
};

it("reports repositories, and changes of their HEAD, index and refs", async () => {
  await using world = openLocalWorld({ files: { "one/a": "a", "two/b": "b" } });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: world.path("one"),
      stdio: "pipe",
    });
  git("init", "--quiet");
  const states = async () => (await world.environment.listEntries!()).repositories;
  const first = await states();
  expect(first.map(({ path, prefix }) => ({ path, prefix }))).toEqual([{ path: "one", prefix: "" }]);
  expect(first[0]!.indexMs).toBeUndefined();
  git("add", "a");
  const second = await states();
  expect([second[0]!.state.head, second[0]!.state.refs]).toEqual([
    first[0]!.state.head,
    first[0]!.state.refs,
  ]);
  expect(second[0]!.state.index).not.toBe(first[0]!.state.index);
  expect(second[0]!.indexMs).toBe(statSync(world.path("one/.git/index")).mtimeMs);
  git("commit", "--quiet", "-m", "a");
  git("checkout", "--quiet", "--detach");
  const third = await states();
  expect(third[0]!.state.head).not.toBe(second[0]!.state.head);
  expect(third[0]!.state.refs).not.toBe(second[0]!.state.refs);
  expect(await leftOut(world)).toEqual({ "one/.git": "repository" });
});

it("follows no link among the refs of a repository", async () => {
  await using world = openLocalWorld({
    files: { "one/.git/refs/heads/main": "1", "two/.git/HEAD": "", "outside/b": "b" },
  });
  world.link("one/.git/refs/heads/away", "../../../../outside");
  world.link("two/.git/refs", "../../outside");
  const refs = async () =>
    (await world.environment.listEntries!()).repositories.map(({ state }) => state.refs);
  const before = await refs();
  await world.environment.writeFile("outside/b", Buffer.from("other"));
  expect(await refs()).toEqual(before);
  writeFileSync(world.path("one/.git/refs/heads/main"), "23");
  expect(await refs()).not.toEqual(before);
});

it("finds the repository that contains the workspace", async () => {
  await using world = openLocalWorld({ files: { a: "a" } });
  execFileSync("git", ["init", "--quiet", join(world.environment.workspace, "..")]);
  const { repositories } = await world.environment.listEntries!();
  expect(repositories.map(({ path, prefix }) => ({ path, prefix }))).toEqual([
    { path: "", prefix: "workspace/" },
  ]);
});

it("reports directories it may not enter", { tags: "root" }, async () => {
  await using world = openLocalWorld({ files: { "closed/in": "", "listed/in": "" } });
  chmodSync(world.path("closed"), 0o000);
  chmodSync(world.path("listed"), 0o444);
  const isRoot = process.getuid?.() === 0;
  expect(await leftOut(world)).toEqual(isRoot ? {} : { closed: "unreadable", listed: "unreadable" });
  for (const name of ["closed", "listed"]) chmodSync(world.path(name), 0o755);
});

it("lists an entry with an invalid name under the closest valid one", async () => {
  await using world = openLocalWorld();
  const name = Buffer.concat([Buffer.from(`${world.environment.workspace}/bad`), Buffer.from([0xff])]);
  try {
    writeFileSync(name, "");
  } catch {
    // Some file systems accept only valid names.
  }
  const isThere = readdirSync(world.environment.workspace).length > 0;
  expect(await leftOut(world)).toEqual(isThere ? { "bad\ufffd": "unreadable" } : {});
});

// Only Linux has such a directory.
it.runIf(existsSync("/proc/self"))("does not enter virtual file systems of the kernel", async () => {
  const pinning = new ProcPinning("/", new PathChecker("/", undefined));
  const without = readdirSync("/")
    .filter((name) => name !== "proc")
    .map((name) => `/${name}`);
  const { entries, leftOut: why } = await takeSnapshot(pinning, [], { without });
  pinning.close();
  expect([[...entries.keys()], [...why]]).toEqual([["proc"], [["proc", "system"]]]);
});

it("yields to other tasks", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [`${index % 50}/${index}`, ""]),
  );
  await using world = openLocalWorld({ files });
  const controller = new AbortController();
  const looking = world.environment.listEntries!({ signal: controller.signal });
  setImmediate(() => controller.abort());
  // Fast machines finish before another task gets a turn.
  const outcome = await looking.then(
    ({ entries }) => entries.size,
    ({ code }) => code,
  );
  expect([3050, "cancelled"]).toContain(outcome);
});

describe("a known snapshot", () => {
  /** Takes a snapshot when all entries are older than the steps of the clock. */
  async function openKnown(files: Readonly<Record<string, string>>) {
    const world = openLocalWorld({ files });
    const pinning = new ProcPinning(world.environment.workspace, new PathChecker("/", undefined));
    const take = (known?: Snapshot) => takeSnapshot(pinning, [], { known });
    const isOld = ({ takenMs, entries }: Snapshot) =>
      [...entries.values()].every((entry) => isSettled(entry, takenMs));
    await expect.poll(async () => isOld(await take())).toBe(true);
    const known = await take();
    const close = () => {
      pinning.close();
      return world[Symbol.asyncDispose]();
    };
    return { world, take: () => take(known), known, [Symbol.asyncDispose]: close };
  }

  const pathsOf = ({ entries }: Snapshot) => [...entries.keys()].sort();

  it("gives its entries where nothing has changed", async () => {
    await using fixture = await openKnown({ "a/b": "1", "a/c/d": "2" });
    const now = await fixture.take();
    expect(pathsOf(now)).toEqual(["a", "a/b", "a/c", "a/c/d"]);
    for (const [path, entry] of now.entries) expect(entry).toBe(fixture.known.entries.get(path));
    expect(now.listed!.get("a/c")!.paths).toBe(fixture.known.listed!.get("a/c")!.paths);
  });

  it("hides no change of names or contents", async () => {
    await using fixture = await openKnown({ "a/b": "1", "a/c/d": "2", "a/e": "3", "f/g": "4" });
    const { world, take, known } = fixture;
    writeFileSync(world.path("a/c/new"), "");
    writeFileSync(world.path("a/b"), "other");
    rmSync(world.path("a/e"));
    renameSync(world.path("f"), world.path("h"));
    const now = await take();
    expect(pathsOf(now)).toEqual(["a", "a/b", "a/c", "a/c/d", "a/c/new", "h", "h/g"]);
    expect(now.entries.get("a/b")!.size).toBe(5);
    expect(now.entries.get("a/c/d")).toBe(known.entries.get("a/c/d"));
  });

  it("hides no entry of a directory whose times were put back", async () => {
    await using fixture = await openKnown({ "a/b": "1" });
    const { world, take } = fixture;
    const { atime, mtime } = statSync(world.path("a"));
    writeFileSync(world.path("a/new"), "");
    utimesSync(world.path("a"), atime, mtime);
    expect(pathsOf(await take())).toEqual(["a", "a/b", "a/new"]);
  });

  it("lists nothing behind a link that has replaced a directory", async () => {
    await using fixture = await openKnown({ "a/b": "1", "other/b": "2", "other/c": "3" });
    const { world, take } = fixture;
    renameSync(world.path("a"), world.path("old"));
    world.link("a", "other");
    expect(pathsOf(await take())).toEqual(["a", "old", "old/b", "other", "other/b", "other/c"]);
  });
});
