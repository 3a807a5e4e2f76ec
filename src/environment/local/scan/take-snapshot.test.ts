import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Snapshot } from "../../../contract/snapshot.ts";
import { openLocalWorld } from "../../conformance/local-world.ts";

const leftOut = async (world: ReturnType<typeof openLocalWorld>) => {
  const { entries, leftOut: why } = await world.environment.snapshot!();
  return Object.fromEntries(Array.from(why, ([position, reason]) => [entries.pathAt(position), reason]));
};

it("reports repositories, and changes of their HEAD, index and refs", async () => {
  await using world = openLocalWorld({ files: { "one/a": "a", "two/b": "b" } });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: world.path("one"),
      stdio: "pipe",
    });
  git("init", "--quiet");
  const states = async () => (await world.environment.snapshot!()).repositories;
  const first = await states();
  expect(first.map(({ path, prefix }) => ({ path, prefix }))).toEqual([{ path: "one", prefix: "" }]);
  expect(first[0]!.readIndex()).toBeUndefined();
  git("add", "a");
  const second = await states();
  expect([second[0]!.state.head, second[0]!.state.refs]).toEqual([
    first[0]!.state.head,
    first[0]!.state.refs,
  ]);
  expect(second[0]!.state.index).not.toBe(first[0]!.state.index);
  expect(Buffer.from(second[0]!.readIndex()!.bytes).toString("latin1", 0, 4)).toBe("DIRC");
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
  const refs = async () => (await world.environment.snapshot!()).repositories.map(({ state }) => state.refs);
  const before = await refs();
  await world.environment.writeFile("outside/b", Buffer.from("other"));
  expect(await refs()).toEqual(before);
  writeFileSync(world.path("one/.git/refs/heads/main"), "23");
  expect(await refs()).not.toEqual(before);
});

it("finds the repository that contains the workspace", async () => {
  await using world = openLocalWorld({ files: { a: "a" } });
  execFileSync("git", ["init", "--quiet", join(world.environment.workspace, "..")]);
  const { repositories } = await world.environment.snapshot!();
  expect(repositories.map(({ path, prefix }) => ({ path, prefix }))).toEqual([
    { path: "", prefix: "workspace/" },
  ]);
});

it("returns the same with and without an earlier snapshot", { tags: "slow" }, async () => {
  const names = ["a", "b/c", "b/d/e", "b/d/f", "g/h", "g/.gitignore", "i/j/k", "l/m"];
  await using world = openLocalWorld({ files: Object.fromEntries(names.map((name) => [name, name])) });
  world.link("b/link", "c");
  const steps = [
    "true",
    "echo more >> b/d/e; chmod 600 b/c",
    "touch b/d/new; rm g/h",
    "mv b/d i/d; mkdir b/d; touch b/d/other",
    "rm b/link; ln -s d b/link; printf 'i\nnew\n' > g/.gitignore; mkdir g/i g/new",
    "rm -r l; ln -s b l; git init -q g; rm -r i/j; touch i/j",
  ];
  let known = await world.environment.snapshot!();
  for (const step of steps) {
    // Old enough that directories count as settled.
    execFileSync("bash", ["-c", `sleep 0.1; ${step}`], { cwd: world.environment.workspace });
    const [quick, thorough] = [
      await world.environment.snapshot!({ known }),
      await world.environment.snapshot!(),
    ];
    expect({ ...comparable(quick), identity: 0 }).toEqual({ ...comparable(thorough), identity: 0 });
    known = quick;
  }
});

const comparable = ({ takenMs: _, repositories, ...rest }: Snapshot) => ({
  ...rest,
  repositories: repositories.map(({ path, state }) => ({ path, state })),
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
  await using world = openLocalWorld({}, { workspace: "/" });
  const options = {
    without: readdirSync("/")
      .filter((name) => name !== "proc")
      .map((name) => `/${name}`),
  };
  const { entries, leftOut: why } = await world.environment.snapshot!(options);
  const paths = [...entries.paths()];
  expect(paths.indexOf("proc")).toBeGreaterThanOrEqual(0);
  expect(paths.some((path) => path.startsWith("proc/"))).toBe(false);
  expect(why.get(paths.indexOf("proc"))).toBe("system");
});

it("yields to other tasks", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [`${index % 50}/${index}`, ""]),
  );
  await using world = openLocalWorld({ files });
  const controller = new AbortController();
  const looking = world.environment.snapshot!({ signal: controller.signal });
  setImmediate(() => controller.abort());
  // Fast machines finish before another task gets a turn.
  const outcome = await looking.then(
    ({ entries }) => entries.count,
    ({ code }) => code,
  );
  expect([3050, "cancelled"]).toContain(outcome);
});
