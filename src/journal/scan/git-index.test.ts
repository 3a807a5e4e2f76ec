import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readGitIndex } from "./git-index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolcrib git index "));
});
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
const index = () => readFileSync(join(folder, ".git/index"));

const names = ["a", "folder/b c", "folder/bd", "folder/deep/ü\n", "g".repeat(200), "longer"];

function makeRepository(...options: string[]): void {
  git("init", "--quiet", ...options);
  mkdirSync(join(folder, "folder/deep"), { recursive: true });
  for (const [size, name] of names.entries()) writeFileSync(join(folder, name), "x".repeat(size));
  symlinkSync("a", join(folder, "link"));
  git("add", "--all");
}

function expected(): ReadonlyMap<string, unknown> {
  const oids = new Map(
    git("ls-files", "--stage", "-z")
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => [line.slice(line.indexOf("\t") + 1), line.split(" ")[1]]),
  );
  return new Map(
    names.map((name) => {
      const { mtimeMs, ctimeMs, ino, size } = lstatSync(join(folder, name));
      const known = { modifiedMs: mtimeMs, changedMs: ctimeMs, inode: ino % 2 ** 32, bytes: size };
      return [name, { oid: oids.get(name), ...known }];
    }),
  );
}

it.each(["2", "3", "4"])("reads an index of version %s written by git", (version) => {
  makeRepository();
  if (version === "3") {
    writeFileSync(join(folder, "intended"), "");
    git("add", "--intent-to-add", "intended");
  } else git("update-index", "--index-version", version);
  expect(index().readUInt32BE(4)).toBe(Number(version));
  const read = readGitIndex(index())!;
  expect(new Map([...names, "link", "intended"].map((name) => [name, read.find(name)]))).toEqual(
    new Map([...expected(), ["link", undefined], ["intended", undefined]]),
  );
});

it("leaves out entries that git was told not to check", () => {
  makeRepository();
  git("update-index", "--assume-unchanged", "a");
  git("update-index", "--skip-worktree", "longer");
  const read = readGitIndex(index())!;
  expect(names.filter((name) => read.find(name) !== undefined)).toEqual(names.slice(1, -1));
});

it("finds every file of a large index, in any order, and no other", () => {
  git("init", "--quiet");
  const blob = git("hash-object", "-w", "--stdin");
  const paths = Array.from({ length: 3000 }, (_, number) => `d${number % 37}/${number.toString(36)}.ü`);
  const lines = paths.map((path) => `100644 ${blob.trim()}\t${path}\n`).join("");
  execFileSync("git", ["update-index", "--index-info"], { cwd: folder, input: lines });
  const read = readGitIndex(index())!;
  const missing = (all: readonly string[]) => all.filter((path) => read.find(path) === undefined);
  expect([missing(paths), missing(paths.toReversed()), missing(paths.toSorted())]).toEqual([[], [], []]);
  const others = paths.map((path) => path.slice(0, -1)).concat("", "d", "z");
  expect(missing(others)).toEqual(others);
});

it("rejects other hashes, a split index and damage", { tags: "slow" }, () => {
  makeRepository();
  const whole = index();
  git("update-index", "--split-index");
  expect(readGitIndex(index())).toBeUndefined();
  for (let at = 0; at < whole.length; at += 1) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x41, at);
    expect(readGitIndex(damaged)).toBeUndefined();
    expect(readGitIndex(whole.subarray(0, at))).toBeUndefined();
  }
});

it("rejects an index with SHA-256", () => {
  makeRepository("--object-format=sha256");
  expect(readGitIndex(index())).toBeUndefined();
});

it("detects whether the staged content changed", () => {
  makeRepository();
  const { staged } = readGitIndex(index())!;
  utimesSync(join(folder, "a"), 1, 1);
  git("update-index", "--refresh");
  expect(readGitIndex(index())?.staged).toBe(staged);
  symlinkSync("b", join(folder, "other"));
  git("add", "other");
  expect(readGitIndex(index())?.staged).not.toBe(staged);
});

it("rejects an index of version 4 whose paths need too much memory", { tags: "slow" }, () => {
  const path = Buffer.alloc(60_000, "p");
  const entry = (name: Buffer) => {
    const fixed = Buffer.alloc(62);
    fixed.writeUInt32BE(0o100644, 24);
    // Drops no byte of the path before it.
    return Buffer.concat([fixed, Buffer.of(0), name, Buffer.of(0)]);
  };
  const made = (count: number) => {
    const header = Buffer.from("DIRC\0\0\0\x04\0\0\0\0");
    header.writeUInt32BE(count, 8);
    const others = Array.from({ length: count - 1 }, () => entry(Buffer.of()));
    const content = Buffer.concat([header, entry(path), ...others]);
    return Buffer.concat([content, createHash("sha1").update(content).digest()]);
  };
  expect(readGitIndex(made(2))).toBeDefined();
  expect(readGitIndex(made(5000))).toBeUndefined();
});
