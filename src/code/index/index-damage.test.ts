/** @module-tag slow */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openTestIndex, type TestIndex } from "../../../test/support/code-index/open-index.ts";
import { rounds } from "../../../test/support/rounds.ts";

const { signal } = new AbortController();

const count = 60;

const files = Object.fromEntries(
  Array.from({ length: count }, (_, index) => [
    `d${index % 7}/f${index}.ts`,
    `/** Number ${index}. */\nexport function made${index % 50}(): string {\n  return "${"x".repeat(index % 90)}"; // ${index % 3 === 0 ? "alpha" : "beta"}\n}\n`,
  ]),
);
const withAlpha = Object.keys(files)
  .filter((name) => files[name]!.includes("alpha"))
  .sort();
const whole = { files: count, indexed: count, outlined: count, outlinable: count };

async function answersOf(index: TestIndex) {
  const state = await index.built();
  const symbols = await index.symbols({ name: "made7", limit: 99 }, { signal });
  return { state, alpha: await index.withText("alpha"), made: symbols.map(({ path: at }) => at) };
}

const right = {
  state: whole,
  alpha: withAlpha,
  made: Object.keys(files)
    .filter((name) => files[name]!.includes("made7("))
    .sort(),
};

const databaseOf = ({ directory }: TestIndex) => path.join(directory, "index.db");

describe("an index", () => {
  it("is rebuilt with correct results, whichever of its bytes are overwritten", {
    tags: "slow",
  }, async () => {
    await using index = openTestIndex(files);
    await index.built();
    await index.close();
    const original = fs.readFileSync(databaseOf(index));
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % below;
    };
    for (let round = 0; round < rounds(3); round++) {
      const damaged = Buffer.from(original);
      for (let times = 0; times <= round; times++) {
        const start = random(damaged.length);
        for (let at = start; at < Math.min(start + 1 + random(64), damaged.length); at++)
          damaged[at] = random(256);
      }
      fs.writeFileSync(databaseOf(index), damaged);
      for (const beside of ["-wal", "-shm"]) fs.rmSync(databaseOf(index) + beside, { force: true });
      await using again = index.another();
      expect(await answersOf(again)).toEqual(right);
    }
  });

  it("is rebuilt when it is truncated, not a database, or of another version", { tags: "slow" }, async () => {
    await using index = openTestIndex(files);
    await index.built();
    await index.close();
    const original = fs.readFileSync(databaseOf(index));
    const other = () => {
      const database = new DatabaseSync(databaseOf(index));
      database.exec("PRAGMA user_version = 99");
      database.close();
    };
    const cut = (bytes: number) => () => fs.truncateSync(databaseOf(index), bytes);
    const no = () => fs.writeFileSync(databaseOf(index), "This is no database.".repeat(999));
    for (const harm of [cut(original.length / 2), cut(100), cut(0), no, other]) {
      fs.writeFileSync(databaseOf(index), original);
      harm();
      await using again = index.another();
      expect(await answersOf(again)).toEqual(right);
    }
  });

  it("is rebuilt when it is removed while it is open", { tags: "slow" }, async () => {
    await using index = openTestIndex(files);
    await index.built();
    fs.rmSync(index.directory, { recursive: true });
    index.write("d0/f0.ts", "alpha");
    expect((await answersOf(index)).state.files).toBe(count);
    expect(fs.existsSync(databaseOf(index))).toBe(true);
  });

  it("is kept in memory when its folder cannot be written, and reports it", async () => {
    await using index = openTestIndex(files);
    fs.writeFileSync(index.directory, "no folder");
    const { state, ...others } = await answersOf(index);
    expect({ state: { ...state, problem: typeof state.problem }, ...others }).toEqual({
      ...right,
      state: { ...whole, problem: "string" },
    });
  });

  it("returns correct results on a full disk, and reports why it is incomplete", {
    tags: "slow",
  }, async () => {
    await using index = openTestIndex(files);
    // Ten blocks of 512 bytes for each file that is written.
    const command = `trap "" XFSZ; ulimit -f 10; exec "$0" "$@"`;
    const args = ["-c", command, process.execPath, program, index.workspace, index.directory, "alpha"];
    const onFullDisk = async () => JSON.parse((await promisify(execFile)("/bin/bash", args)).stdout);
    const first = await onFullDisk();
    expect(withAlpha.filter((name) => !first.found[0].includes(name))).toEqual([]);
    expect(first.state).toMatchObject({ files: count, problem: expect.any(String) });
    expect(await answersOf(index)).toEqual(right);
    // Known content must not be dropped when new content cannot be stored.
    const added = Array.from({ length: 60 }, (_, number) => `new/${number}.ts`);
    for (const name of added) index.write(name, `alpha ${"0123456789 ".repeat(200)}`);
    const second = await onFullDisk();
    expect([...withAlpha, ...added].filter((name) => !second.found[0].includes(name))).toEqual([]);
    expect(second.state).toMatchObject({ files: count + 60, problem: expect.any(String) });
  });

  it("is built once by two processes that share it", { tags: "slow" }, async () => {
    await using index = openTestIndex(files);
    const args = [program, index.workspace, index.directory, "alpha"];
    const both = await Promise.all([1, 2].map(() => promisify(execFile)(process.execPath, args)));
    expect(both.map(({ stdout }) => JSON.parse(stdout))).toEqual(
      both.map(() => ({ state: whole, found: [withAlpha] })),
    );
    expect(await answersOf(index)).toEqual(right);
    const database = new DatabaseSync(databaseOf(index));
    expect(database.prepare("SELECT count(*) AS count FROM files").get()).toEqual({ count });
    database.close();
  });

  it("continues where it was when its builder is killed", { tags: "slow" }, async () => {
    await using index = openTestIndex(files);
    const kills = rounds(2);
    for (let round = 0; round < kills; round++) {
      const child = spawn(process.execPath, [program, index.workspace, index.directory], { stdio: "ignore" });
      await untilStarted(child, index);
      await sleep((round * 150) / (kills - 1));
      child.kill("SIGKILL");
      await once(child, "close");
    }
    expect(await answersOf(index)).toEqual(right);
  });
});

const program = fileURLToPath(new URL("../../../test/support/code-index/answer.ts", import.meta.url));

async function untilStarted(child: ChildProcess, index: TestIndex): Promise<void> {
  while (child.exitCode === null && !fs.existsSync(databaseOf(index))) await sleep(5);
}
