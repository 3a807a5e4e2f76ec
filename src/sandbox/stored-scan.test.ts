import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { TreeScan } from "./tree-scan.ts";

const directoryCount = 40;

/** A tree that was scanned and stored by an earlier process. */
async function storedTree() {
  const folder = temporaryFolder();
  const top = join(folder.path, "top");
  const store = join(folder.path, "state", "scans");
  for (let number = 0; number < directoryCount; number += 1)
    mkdirSync(join(top, "parts", `d${number}`, "in"), { recursive: true });
  writeFileSync(join(top, "parts/d1/.env"), "");
  mkdirSync(join(top, "parts/d2/.vscode/deep"), { recursive: true });
  mkdirSync(join(top, "parts/d3/.git"));
  // Directories that changed just now are not trusted.
  await setTimeout(150);
  const asked: string[] = [];
  /** Scans as a new process does. */
  const scan = async (key = "rules 1", secret = ".env", where = top) => {
    asked.length = 0;
    const rules = {
      key,
      isHidden: (path: string) => {
        asked.push(path);
        return path.endsWith(`/${secret}`);
      },
      isReadOnly: (path: string) => path.endsWith("/.vscode"),
    };
    const { hidden, readOnly, repositories, isWhole } = await new TreeScan(where, { store }).scan(rules);
    const short = (path: string) => path.slice(where.length + 1);
    const found = [...hidden.map(({ path }) => path), ...readOnly, ...repositories].map(short).sort();
    return { found, isWhole, asked: asked.length };
  };
  const first = await scan();
  const file = () => join(store, readdirSync(store)[0]!);
  const at = (path: string) => join(top, path);
  return {
    folder,
    top,
    store,
    file,
    at,
    scan,
    first,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const whole = ["parts/d1/.env", "parts/d2/.vscode", "parts/d3/.git"];

it("serves a later process, which compares no path again", async () => {
  await using tree = await storedTree();
  expect(tree.first).toEqual({ found: whole, isWhole: true, asked: expect.any(Number) });
  expect(tree.first.asked).toBeGreaterThan(directoryCount);
  expect(await tree.scan()).toEqual({ found: whole, isWhole: true, asked: 0 });
  expect(statSync(tree.file()).mode & 0o777).toBe(0o600);
});

it("is not written for a small tree", async () => {
  await using folder = temporaryFolder();
  mkdirSync(join(folder.path, "top/a/b"), { recursive: true });
  await setTimeout(150);
  const store = join(folder.path, "scans");
  const rules = { key: "k", isHidden: () => false, isReadOnly: () => false };
  await new TreeScan(join(folder.path, "top"), { store }).scan(rules);
  expect(readdirSync(folder.path)).toEqual(["top"]);
});

it("keeps only the last files", async () => {
  await using tree = await storedTree();
  for (let number = 0; number < 12; number += 1) await tree.scan(`rules ${number}`);
  expect(readdirSync(tree.store)).toHaveLength(8);
});

type Tree = Awaited<ReturnType<typeof storedTree>>;

/** Changes after which the stored result would be wrong, and what the next process must find. */
const changes: Record<string, readonly [change: (tree: Tree) => void, found: readonly string[]]> = {
  "a created file": [({ at }) => writeFileSync(at("parts/d9/.env"), ""), [...whole, "parts/d9/.env"]],
  "a renamed file": [
    ({ at }) => {
      renameSync(at("parts/d1/.env"), at("parts/d1/env"));
      renameSync(at("parts/d1/env"), at("parts/d9/in/.env"));
    },
    ["parts/d2/.vscode", "parts/d3/.git", "parts/d9/in/.env"],
  ],
  "a directory that was moved in with its old times": [
    ({ folder, at }) => {
      mkdirSync(join(folder.path, "outside/x"), { recursive: true });
      writeFileSync(join(folder.path, "outside/x/.env"), "");
      for (const path of ["outside/x", "outside"]) utimesSync(join(folder.path, path), 1, 1);
      renameSync(join(folder.path, "outside"), at("parts/d9/moved"));
    },
    [...whole, "parts/d9/moved/x/.env"],
  ],
  "a directory replaced by another one of the same name": [
    ({ folder, at }) => {
      mkdirSync(join(folder.path, "other"));
      writeFileSync(join(folder.path, "other/.env"), "");
      renameSync(at("parts/d9/in"), join(folder.path, "away"));
      renameSync(join(folder.path, "other"), at("parts/d9/in"));
    },
    [...whole, "parts/d9/in/.env"],
  ],
  "two directories that swapped their names": [
    ({ at }) => {
      renameSync(at("parts/d1"), at("parts/aside"));
      renameSync(at("parts/d9"), at("parts/d1"));
      renameSync(at("parts/aside"), at("parts/d9"));
    },
    ["parts/d2/.vscode", "parts/d3/.git", "parts/d9/.env"],
  ],
  "a directory swapped for a link": [
    ({ folder, at }) => {
      renameSync(at("parts/d1"), join(folder.path, "away"));
      symlinkSync(join(folder.path, "away"), at("parts/d1"));
    },
    ["parts/d2/.vscode", "parts/d3/.git"],
  ],
  "a file replaced by a directory": [
    ({ at }) => {
      rmSync(at("parts/d1/.env"));
      mkdirSync(at("parts/d1/env"));
      writeFileSync(at("parts/d1/env/.env"), "");
    },
    ["parts/d1/env/.env", "parts/d2/.vscode", "parts/d3/.git"],
  ],
  "a created file with the time of its directory set back": [
    ({ at }) => {
      const { atime, mtime } = lstatSync(at("parts/d9"));
      writeFileSync(at("parts/d9/.env"), "");
      utimesSync(at("parts/d9"), atime, mtime);
    },
    [...whole, "parts/d9/.env"],
  ],
  "a directory that was closed": [({ at }) => chmodSync(at("parts/d9"), 0), [...whole, "parts/d9"]],
  "another workspace at the same path": [
    ({ folder, top }) => {
      renameSync(top, join(folder.path, "before"));
      mkdirSync(join(top, "parts/d9"), { recursive: true });
      writeFileSync(join(top, "parts/d9/.env"), "");
    },
    ["parts/d9/.env"],
  ],
};

describe("a change after it was written", () => {
  it.each(Object.entries(changes))("%s is found", async (_, [change, found]) => {
    await using tree = await storedTree();
    change(tree);
    expect((await tree.scan()).found).toEqual(found.toSorted());
    if (lstatSync(tree.at("parts/d9")).mode % 8 === 0) chmodSync(tree.at("parts/d9"), 0o700);
  });

  it("a bind mount over a directory is found", { tags: "slow" }, async (context) => {
    await using tree = await storedTree();
    const mounted = join(tree.folder.path, "mounted");
    mkdirSync(mounted);
    writeFileSync(join(mounted, ".env"), "");
    // The mount ends with the namespace. `unshare` needs root or user namespaces.
    const script = `mount --bind "$1" "$2" && exec "$3" --input-type=module -e '
      const { TreeScan } = await import(process.argv[1]);
      const rules = { key: "rules 1", isHidden: (path) => path.endsWith("/.env"), isReadOnly: (path) => path.endsWith("/.vscode") };
      const { hidden } = await new TreeScan(process.argv[2], { store: process.argv[3] }).scan(rules);
      console.log(JSON.stringify(hidden.map(({ path }) => path)));
    ' "$4" "$5" "$6"`;
    const module = new URL("./tree-scan.ts", import.meta.url).href;
    const args = [script, "sh", mounted, tree.at("parts/d9"), process.execPath, module, tree.top, tree.store];
    try {
      execFileSync("unshare", ["-rm", "true"], { stdio: "pipe" });
    } catch {
      return context.skip("this machine allows no user namespaces");
    }
    const printed = execFileSync("unshare", ["-rm", "sh", "-c", ...args], { encoding: "utf8" });
    expect(JSON.parse(printed).sort()).toEqual([tree.at("parts/d1/.env"), tree.at("parts/d9/.env")]);
  });

  it("a directory that changed just before the scan is read again", async () => {
    await using tree = await storedTree();
    writeFileSync(tree.at("parts/d9/plain"), "");
    // Enough directories change that the results are stored again.
    for (let number = 10; number < directoryCount; number += 1)
      writeFileSync(tree.at(`parts/d${number}/x`), "");
    await tree.scan();
    renameSync(tree.at("parts/d9/plain"), tree.at("parts/d9/.env"));
    expect((await tree.scan()).found).toEqual([...whole, "parts/d9/.env"]);
  });
});

describe("a file that was changed", () => {
  const damages: Record<string, (tree: Tree) => void> = {
    "is cut off": ({ file }) => truncateSync(file(), statSync(file()).size - 20),
    "is empty": ({ file }) => truncateSync(file(), 0),
    "lacks a secret": ({ file }) => writeFileSync(file(), readFileSync(file(), "utf8").replace('".env"', "")),
    "is of other rules": ({ file }) => rehash(file(), (body) => body.replace("rules 1", "rules 2")),
    "names another directory": ({ file }) => rehash(file(), (body) => body.replace('"d5"', '"../.."')),
    "has no lists": ({ file }) => rehash(file(), (body) => body.replace(/\[\[?"in"\]/, "7")),
    "is not JSON": ({ file }) => rehash(file(), (body) => body.slice(1)),
    "can be read by others": ({ file }) => chmodSync(file(), 0o644),
    "is a link": ({ file, folder }) => {
      const path = file();
      renameSync(path, join(folder.path, "elsewhere"));
      symlinkSync(join(folder.path, "elsewhere"), path);
    },
  };

  function rehash(path: string, change: (body: string) => string): void {
    const text = readFileSync(path, "utf8");
    const body = change(text.slice(text.indexOf("\n") + 1));
    writeFileSync(path, `${contentHash(body)}\n${body}`);
  }

  it.each(Object.entries(damages))("is ignored when it %s", async (_, damage) => {
    await using tree = await storedTree();
    damage(tree);
    expect(await tree.scan()).toEqual(tree.first);
  });
});

it("is not used for other rules", async () => {
  await using tree = await storedTree();
  writeFileSync(tree.at("parts/d9/key"), "");
  await setTimeout(150);
  const found = ["parts/d2/.vscode", "parts/d3/.git", "parts/d9/key"];
  expect((await tree.scan("rules 2", "key")).found).toEqual(found);
  expect((await tree.scan()).found).toEqual(whole);
});

it("does not matter when the folder cannot be written", async () => {
  await using tree = await storedTree();
  rmSync(tree.store, { recursive: true });
  writeFileSync(tree.store, "a file");
  expect(await tree.scan()).toEqual(tree.first);
});
