import { execFile, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { asOrdinaryUser } from "../../../../test/support/as-ordinary-user.ts";
import { bundledProgram } from "../../../../test/support/bundled-program.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import type { FileChange } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { openLocalWorld } from "../../conformance/local-world.ts";
import { contentOf, failure, failureOf } from "../../conformance/world.ts";

const text = (content: string) => Buffer.from(content);
const hash = (content: string) => contentHash(text(content));
const update = (path: string, before: string, after: string): FileChange => ({
  path,
  before: hash(before),
  after: text(after),
});

it("breaks a hard link, or changes the file under all its names", async () => {
  await using world = openLocalWorld({ files: { broken: "old", kept: "old", alone: "old", other: "old" } });
  const { environment } = world;
  for (const name of ["broken", "kept"]) linkSync(world.path(name), `${world.outside}/${name}`);
  chmodSync(world.path("kept"), 0o640);
  const inodes = () => ["broken", "kept", "alone"].map((name) => lstatSync(world.path(name)).ino);
  const before = inodes();
  await environment.change([
    update("broken", "old", "new"),
    { ...update("kept", "old", "n"), hardLinks: "keep" },
    { ...update("alone", "old", "new"), hardLinks: "keep" },
  ]);
  const outside = ["broken", "kept"].map((name) => readFileSync(`${world.outside}/${name}`, "utf8"));
  expect(await contentOf(environment)).toEqual({ broken: "new", kept: "n", alone: "new", other: "old" });
  expect([outside, inodes().map((inode, index) => inode === before[index])]).toEqual([
    ["old", "n"],
    [false, true, false],
  ]);
  const [receipt] = await environment.change([
    { ...update("kept", "n", "longer than before"), mode: 0o600, hardLinks: "keep" },
  ]);
  expect(readFileSync(`${world.outside}/kept`, "utf8")).toBe("longer than before");
  expect(receipt?.after).toEqual(await environment.info("kept"));
  expect(receipt?.after?.mode).toBe(0o600);
  expect(readdirSync(world.path("../changes"))).toEqual([]);
});

it("refuses two names of one file that changes under all its names", async () => {
  await using world = openLocalWorld({ files: { one: "old" } });
  linkSync(world.path("one"), world.path("two"));
  const changes = [update("two", "old", "a"), { ...update("one", "old", "b"), hardLinks: "keep" as const }];
  expect(await failureOf(world.environment.change(changes))).toEqual(
    failure("invalid-input", "one and two are the same file", "Combine the two changes."),
  );
  await world.environment.change([update("two", "old", "a"), update("one", "old", "b")]);
  expect(await contentOf(world.environment)).toEqual({ one: "b", two: "a" });
});

it("refuses to change a read-only file, but deletes it", { tags: "root" }, async () => {
  await using world = openLocalWorld({ files: { protected: "old", free: "old" } });
  chmodSync(world.path("protected"), 0o444);
  const forbiddenChange = new URL(
    "../../../../test/support/environment/forbidden-change.ts",
    import.meta.url,
  );
  const hint = "Check the permissions of the file and its directory.";
  const denied = failure("denied", "No permission for protected", hint);
  expect(await asOrdinaryUser(forbiddenChange, world.path("."))).toEqual([denied, denied, "deleted"]);
  expect(await contentOf(world.environment)).toEqual({ free: "old" });
});

it("gives a new file the owner of the file it copies, if permitted", {
  tags: "root",
}, async () => {
  await using world = openLocalWorld({ files: { from: "text" } });
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? 12345 : process.getuid!();
  if (isRoot) spawnSync("chown", [`${owner}:${owner}`, world.path("from")]);
  chmodSync(world.path("from"), 0o751);
  await world.environment.change([
    { path: "from", before: hash("text"), after: "nothing" },
    { path: "to", before: "nothing", after: text("text"), like: "from" },
  ]);
  const { uid, mode } = lstatSync(world.path("to"));
  expect([uid, mode & 0o7777]).toEqual([owner, 0o751]);
});

it("detects files that are changed, replaced or created while it prepares", async () => {
  await using world = openLocalWorld({ files: { one: "1", two: "2" } });
  const { environment } = world;
  const large = Buffer.alloc(9_000_000, "x");
  const changes: readonly FileChange[] = [
    { path: "a", before: "nothing", after: large },
    update("one", "1", "x"),
    update("two", "2", "x"),
    { path: "z", before: "nothing", after: text("x") },
  ];
  const stale = (path: string, what: string) =>
    failure(
      "stale",
      `${path} ${what}; nothing was changed`,
      "Read it again, then change its current content.",
    );
  const meanwhile = async (act: () => void) => {
    const changing = environment.change(changes, { durable: false });
    setImmediate(act);
    return failureOf(changing);
  };
  expect(await meanwhile(() => appendFileSync(world.path("two"), "!"))).toEqual(stale("two", "has changed"));
  writeFileSync(world.path("two"), "2");
  expect(await meanwhile(() => renameSync(world.path("two"), world.path("three")))).toEqual(
    stale("two", "no longer exists"),
  );
  renameSync(world.path("three"), world.path("two"));
  expect(await meanwhile(() => writeFileSync(world.path("z"), "mine"))).toEqual(stale("z", "exists now"));
  expect(await contentOf(environment)).toEqual({ one: "1", two: "2", z: "mine" });
  expect(readdirSync(world.path("../changes"))).toEqual([]);
});

it("restores everything when it is cancelled midway", async () => {
  await using world = openLocalWorld({ files: { one: "1" } });
  const controller = new AbortController();
  const changing = world.environment.change(
    [update("one", "1", "x"), { path: "new/file", before: "nothing", after: Buffer.alloc(9_000_000, "x") }],
    { signal: controller.signal },
  );
  setImmediate(() => controller.abort(new ToolError("timeout", "Too late")));
  expect(await failureOf(changing)).toEqual(failure("timeout", "Too late", undefined));
  expect(await contentOf(world.environment)).toEqual({ one: "1" });
  expect(readdirSync(world.path("../changes"))).toEqual([]);
});

it("reports the files it could not restore because another process wrote them meanwhile", {
  tags: "slow",
}, async () => {
  await using world = openLocalWorld({ files: { one: "old", two: "old" } });
  const program = fileURLToPath(new URL("../../../../test/support/environment/meddler.ts", import.meta.url));
  const records = world.path("../records");
  const { stdout } = spawnSync(process.execPath, [program, world.path("."), records], { encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual({
    code: "unavailable",
    message: "Disk error at two. Not undone, because they changed in the meantime: one",
    hint: "Check these files; all others are unchanged.",
  });
  expect(await contentOf(world.environment)).toEqual({ one: "by hand", two: "old" });
  expect(readdirSync(records)).toEqual([]);
});

it("changes files without a directory for records", async () => {
  await using world = openLocalWorld({ files: { one: "1", two: "2" } });
  const { openLocalEnvironment } = await import("../local-environment.ts");
  const environment = openLocalEnvironment({ workspace: world.path(".") });
  await environment.change([update("one", "1", "x"), update("two", "2", "x")]);
  expect(await contentOf(environment)).toEqual({ one: "x", two: "x" });
  await environment.close();
});

it.each([
  ["one file", ["a/one"]],
  ["several files", ["a/one", "a/two", "b/three"]],
])(
  "loses no change and applies none partially when processes change %s at once",
  { tags: "slow" },
  async (_, paths) => {
    const files = Object.fromEntries(paths.map((path) => [path, "0"]));
    await using world = openLocalWorld({ files });
    const home = world.path("..");
    const times = rounds(40);
    const program = await bundledProgram(
      new URL("../../../../test/support/environment/competitor.ts", import.meta.url),
    );
    const counts = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const { stdout } = await promisify(execFile)(process.execPath, [program, home, `${times}`, ...paths]);
        return JSON.parse(stdout) as number;
      }),
    );
    expect(counts).toEqual([times, times, times]);
    expect(paths.map((path) => readFileSync(world.path(path), "utf8"))).toEqual(
      paths.map(() => `${3 * times}`),
    );
    expect(readdirSync(`${home}/records`)).toEqual([]);
  },
);
