import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { rounds } from "../../test/support/rounds.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type PathRules, type ScanResult, TreeScan } from "./tree-scan.ts";

const judge: PathRules = {
  key: "judge",
  isHidden: (path) => /\/(?:\.env|secrets)$/.test(path),
  isReadOnly: (path) => /\/\.vscode$/.test(path),
};

function fill(top: string, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), "");
  }
}

const paths = [
  ...[".env", "a/b/.env", "secrets/.env", "plain", ".git/.env", "a/.git/config"],
  ...["node_modules/x/.env", ".vscode/settings.json", ".vscode/.env", ".vscode/.vscode/x"],
];

it("finds hidden files, read-only files, and repositories", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  fill(folder.path, paths);
  symlinkSync(".env", at("c.env"));
  symlinkSync(at("a"), at("linked"));
  const covered = await new TreeScan(folder.path).scan(judge);
  expect({
    ...covered,
    hidden: covered.hidden.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }).toEqual({
    hidden: [
      { path: at(".env"), kind: "file" },
      { path: at(".vscode/.env"), kind: "file" },
      { path: at("a/b/.env"), kind: "file" },
      { path: at("secrets"), kind: "directory" },
    ],
    readOnly: [at(".vscode")],
    repositories: [at(".git"), at("a/.git")],
    bare: [],
    unnameable: [],
    sockets: [],
    isWhole: true,
  });
});

it("finds the same as a new scan after any changes", async () => {
  const directory = fc.constantFrom("a", "a/b", "a/b/c", "d", "d/e");
  const deed = fc.tuple(
    fc.constantFrom("write", "hide", "remove", "move", "close", "open"),
    directory,
    directory,
  );
  const property = fc.asyncProperty(fc.array(deed, { maxLength: 12 }), async (deeds) => {
    await using folder = temporaryFolder();
    const at = (path: string) => join(folder.path, path);
    fill(folder.path, ["a/b/c/plain", "d/e/plain"]);
    const scan = new TreeScan(folder.path);
    await scan.scan(judge, { fresh: true });
    for (const [what, one, other] of deeds) {
      try {
        if (what === "write") writeFileSync(at(`${one}/new`), "");
        else if (what === "hide") writeFileSync(at(`${one}/.env`), "");
        else if (what === "remove") rmSync(at(one), { recursive: true });
        else if (what === "move") renameSync(at(one), at(`${other}/moved`));
        else chmodSync(at(one), what === "close" ? 0o600 : 0o700);
      } catch {
        continue;
      }
      const sorted = ({ hidden, ...rest }: ScanResult) => ({
        ...rest,
        hidden: hidden.map(({ path }) => path).toSorted(),
      });
      const repeated = await scan.scan(judge, { fresh: true });
      expect(sorted(repeated)).toEqual(sorted(await new TreeScan(folder.path).scan(judge)));
    }
    execFileSync("chmod", ["-R", "u+rwx", folder.path]);
  });
  await fc.assert(property, { numRuns: rounds(10) });
});

it("detects changes since the last scan, and only then checks paths again", async () => {
  await using folder = temporaryFolder();
  fill(folder.path, ["a/b/plain", "c/d/plain"]);
  const asked: string[] = [];
  const curious: PathRules = {
    ...judge,
    isHidden: (path) => {
      asked.push(path.slice(folder.path.length + 1));
      return judge.isHidden(path);
    },
  };
  const entries = new TreeScan(folder.path);
  const hidden = async () =>
    (await entries.scan(curious)).hidden.map(({ path }) => path.slice(folder.path.length));
  await hidden();
  fill(folder.path, ["c/d/.env"]);
  expect(await hidden()).toEqual(["/c/d/.env"]);
  rmSync(join(folder.path, "c/d/.env"));
  expect(await hidden()).toEqual([]);
  // Directories written just now are read again until the file system's clock advances.
  await setTimeout(150);
  await expect
    .poll(async () => {
      asked.length = 0;
      return [await hidden(), [...asked]];
    })
    .toEqual([[], []]);
});

it("checks every path again with other rules", async () => {
  await using folder = temporaryFolder();
  fill(folder.path, ["plain"]);
  const entries = new TreeScan(folder.path);
  expect((await entries.scan(judge)).hidden).toEqual([]);
  const strict = { ...judge, key: "strict", isHidden: () => true };
  expect((await entries.scan(strict)).hidden).toEqual([{ path: join(folder.path, "plain"), kind: "file" }]);
});

it("reports when there are more entries than it scans, and scans near the top first", async () => {
  await using folder = temporaryFolder();
  fill(folder.path, ["a/b/c/d/.env", "z/.env"]);
  const covered = await new TreeScan(folder.path, { maxDirectories: 3 }).scan(judge);
  expect(covered).toEqual({
    hidden: [{ path: join(folder.path, "z/.env"), kind: "file" }],
    readOnly: [],
    repositories: [],
    bare: [],
    unnameable: [],
    sockets: [],
    isWhole: false,
  });
});

it("does not enter excluded directories", async () => {
  await using folder = temporaryFolder();
  fill(folder.path, ["a/.env", "b/.env"]);
  const covered = await new TreeScan(folder.path, { leaveOut: [join(folder.path, "a")] }).scan(judge);
  expect(covered.hidden).toEqual([{ path: join(folder.path, "b/.env"), kind: "file" }]);
});

it("reports names that are not valid text", async () => {
  await using folder = temporaryFolder();
  writeFileSync(
    Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from([0xff]), Buffer.from(".pem")]),
    "",
  );
  fill(folder.path, ["\uFFFDx.pem"]);
  const covered = await new TreeScan(folder.path).scan({
    ...judge,
    isHidden: (path) => path.endsWith(".pem"),
  });
  expect(covered).toEqual({
    hidden: [{ path: join(folder.path, "\uFFFDx.pem"), kind: "file" }],
    readOnly: [],
    repositories: [],
    bare: [],
    unnameable: [join(folder.path, "\uFFFD.pem")],
    sockets: [],
    isWhole: true,
  });
});

it("stops when reading takes too long, and continues from there the next time", async () => {
  await using folder = temporaryFolder();
  fill(folder.path, ["a/.env"]);
  const entries = new TreeScan(folder.path, { maxMs: -1 });
  expect(await entries.scan(judge)).toEqual({
    ...{ hidden: [], readOnly: [], repositories: [], bare: [], unnameable: [], sockets: [] },
    isWhole: false,
  });
});

it("hides an unreadable directory as a whole, because a command could open it", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  fill(folder.path, ["none/.env", "listed/below/.env", "entered/.env", "open/.env"]);
  const modes = { none: 0, listed: 0o400, entered: 0o300 };
  for (const [name, mode] of Object.entries(modes)) chmodSync(at(name), mode);
  const { hidden } = await new TreeScan(folder.path).scan(judge);
  for (const name of Object.keys(modes)) chmodSync(at(name), 0o700);
  expect(hidden.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { path: at("entered"), kind: "directory" },
    { path: at("listed"), kind: "directory" },
    { path: at("none"), kind: "directory" },
    { path: at("open/.env"), kind: "file" },
  ]);
});

it("hides a directory with a secret so deep that no path can name it, and no other deep one", async () => {
  await using folder = temporaryFolder();
  const make =
    'mkdir $ARGV[0]; chdir $ARGV[0]; for (1..30) { mkdir "d" x 200; chdir "d" x 200 } open F, ">", $ARGV[1]';
  for (const [top, name] of [
    ["a", "b.txt"],
    ["c", ".env"],
  ] as const)
    execFileSync("perl", ["-e", make, top, name], { cwd: folder.path });
  const scan = new TreeScan(folder.path);
  const depth = Math.floor((4000 - folder.path.length - 2) / 201);
  const hidden = [{ path: join(folder.path, "c", ...Array(depth).fill("d".repeat(200))), kind: "directory" }];
  expect((await scan.scan(judge)).hidden).toEqual(hidden);
  await setTimeout(150);
  const rename = 'chdir "a"; for (1..30) { chdir "d" x 200 } rename "b.txt", ".env"';
  execFileSync("perl", ["-e", rename], { cwd: folder.path });
  expect((await scan.scan(judge, { fresh: true })).hidden).toHaveLength(2);
  execFileSync("rm", ["-rf", folder.path]);
});
