import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { openCommandFixture, treeOf } from "../../../test/support/journal-scan/command-fixture.ts";
import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Change } from "../../contract/history.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { openBlobs } from "../blobs.ts";
import { Journal } from "../journal.ts";
import { openScanner, type Scanner, type ScannerParts } from "./scanner.ts";

interface Bench extends ScannerParts {
  /** Runs a simulated command, and returns its result and record. */
  run(
    act: () => unknown,
    command?: string,
  ): Promise<{ readonly text: string; readonly changes: readonly Change[] }>;
  /** Another process on the same folder. */
  beside(parts: Pick<ScannerParts, "blobs"> & Partial<ScannerParts>): Pick<Bench, "run">;
  [Symbol.dispose](): void;
}

function openBench(parts: Pick<ScannerParts, "environment"> & Partial<ScannerParts>): Bench {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib limits "));
  const journal = new Journal({ file: join(home, "journal.sqlite"), session: "session_1" });
  const blobs = openBlobs(join(home, "blobs"));
  const all = { journal, blobs, folder: join(home, "scans"), ...parts };
  let calls = 0;
  const runWith =
    (scanner: Scanner): Bench["run"] =>
    async (act, command = "") => {
      calls += 1;
      const accesses = [{ kind: "execute", command }];
      const call = { id: `call_${calls}`, accesses, account: {}, signal: new AbortController().signal };
      const outcome = await scanner.around(call as unknown as ToolCall, async () => {
        await act();
        return { ok: true, text: "", fullText: "" } as Outcome;
      });
      const changes = journal.changesOf([call.id]).map(({ callId: _, sequence: __, ...change }) => change);
      return { text: outcome.ok ? outcome.text : outcome.error.message, changes };
    };
  return {
    ...all,
    run: runWith(openScanner(all)),
    beside: (others) => ({ run: runWith(openScanner({ ...all, ...others })) }),
    [Symbol.dispose]: () => {
      journal.close();
      rmSync(home, { recursive: true });
    },
  };
}

const file = (content: string, hash = contentHash(Buffer.from(content))) => ({
  kind: "file",
  hash,
  bytes: content.length,
  mode: 0o644,
});
const nothing = { kind: "nothing" };

it("copies what the command names, but no more than the limit", async () => {
  const files = { "src/a": "aaaa", "src/b.min.js": "bbbb", c: "cc", large: "l".repeat(9) };
  await using fixture = await openCommandFixture(files);
  fixture.beside("chmod -R u=rwX,go=rX . && sleep 0.1");
  const environment = openLocalEnvironment({ workspace: fixture.workspace });
  const limits = { maxFileBytes: 8, maxBytes: 7, maxBacklogBytes: 0 };
  using bench = openBench({ environment, limits });
  const first = await bench.run(async () => {
    for (const path of ["src/a", "src/b.min.js", "large"]) await environment.delete(path);
  }, "rm src/* large");
  const tooMuch = "more than is copied for one command";
  for (const sentence of [
    "large (too large to store)",
    `src/b.min.js (${tooMuch})`,
    "any change to 1 file that exceeds the 0 bytes for copies in this workspace]",
  ])
    expect(first.text).toContain(sentence);
  expect(first.changes.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { path: "large", before: file("l".repeat(9), ""), after: nothing, lost: "too large to store" },
    { path: "src/a", before: file("aaaa"), after: nothing },
    { path: "src/b.min.js", before: file("bbbb", ""), after: nothing, lost: tooMuch },
  ]);
  fixture.beside("sleep 0.1");
  // Says so once, but copies what has changed since.
  expect(await bench.run(() => environment.writeFile("c", Buffer.from("d")))).toEqual({
    text: "[Undo does not cover: c (not copied before the command)]",
    changes: [{ path: "c", before: file("cc", ""), after: file("d"), lost: "not copied before the command" }],
  });
  expect(await bench.run(() => environment.delete("c"))).toEqual({
    text: "",
    changes: [{ path: "c", before: file("d"), after: nothing }],
  });
});

it("copies nothing when its time is up", async () => {
  const environment = new MemoryEnvironment({ files: { a: "a", b: "b" } });
  using bench = openBench({ environment, limits: { maxMs: -1, maxBacklogMs: -1 } });
  expect((await bench.run(() => environment.delete("a"), "rm ./a")).text).toBe(
    "[Undo does not cover: a (no time was left to copy it), any change to 1 file that is not copied yet]",
  );
});

it("copies some files before each command, and continues with the next one", async () => {
  const files = Object.fromEntries(Array.from("abcde", (name) => [name, name]));
  await using fixture = await openCommandFixture(files);
  fixture.beside("sleep 0.1");
  const environment = openLocalEnvironment({ workspace: fixture.workspace });
  using bench = openBench({ environment, limits: { maxBacklogFiles: 2 } });
  const texts: string[] = [];
  for (let commands = 0; commands < 3; commands += 1) texts.push((await bench.run(() => {})).text);
  expect(texts).toEqual(["[Undo does not cover: any change to 3 files that are not copied yet]", "", ""]);
  const { text, changes } = await bench.run(() => fixture.beside("rm *"));
  expect([text, changes.map(({ lost }) => lost)]).toEqual(["", Array(5).fill(undefined)]);
});

it("copies the likely targets first, and no more than the space for one workspace", async () => {
  const files = {
    "dist/built.js": "generated",
    "large.ts": "l".repeat(70_000),
    "notes.md": "notes",
    "old.ts": "old",
    "new.ts": "new",
  };
  await using fixture = await openCommandFixture(files);
  for (const [path, days] of Object.entries({ "dist/built.js": 3, "new.ts": 2 }))
    utimesSync(join(fixture.workspace, path), 1_700_000_000 + days, 1_700_000_000 + days);
  fixture.beside("sleep 0.1");
  const environment = openLocalEnvironment({ workspace: fixture.workspace });
  using bench = openBench({ environment });
  const kept: string[] = [];
  const keepFile: typeof bench.blobs.keepFile = (environment, path, signal) => {
    kept.push(path);
    return bench.blobs.keepFile(environment, path, signal);
  };
  const withLimit = (maxBacklogBytes: number) =>
    bench.beside({ blobs: { ...bench.blobs, keepFile }, limits: { maxBacklogBytes } });
  const first = await withLimit(3 * 4096).run(() => {});
  expect([first.text, kept.splice(0)]).toEqual([
    "[Undo does not cover: any change to 2 files that exceed the 12 kB for copies in this workspace]",
    ["new.ts", "old.ts", "notes.md"],
  ]);
  // The copies that exist count.
  const second = await withLimit(4 * 4096).run(() => {});
  expect([second.text, kept.splice(0)]).toEqual([
    "[Undo does not cover: any change to 1 file that exceeds the 16 kB for copies in this workspace]",
    ["dist/built.js"],
  ]);
  expect([(await withLimit(1e6).run(() => {})).text, kept]).toEqual(["", ["large.ts"]]);
});

const noScan = "[Undo does not cover: changes by its commands (there are too many files to scan)]";

it("runs commands without a scan for a while after one that took too long", async () => {
  const environment = new MemoryEnvironment({ files: { a: "a" } });
  let scans = 0;
  // It takes all of its time limit.
  environment.snapshot = ({ signal } = {}) => {
    scans += 1;
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("too slow"))));
  };
  using bench = openBench({ environment, limits: { maxLookMs: 5 } });
  const write = (path: string) => () => environment.writeFile(path, Buffer.from(""));
  expect(await bench.run(write("b"))).toEqual({ text: noScan, changes: [] });
  expect(await bench.run(write("c"))).toEqual({ text: noScan, changes: [] });
  expect(scans).toBe(1);
  const impatient = bench.beside({ blobs: bench.blobs, limits: { maxLookMs: 5, lookPauseMs: 0 } });
  await impatient.run(write("d"));
  await impatient.run(write("e"));
  expect(scans).toBe(3);
});

it("limits the processor time of a scan", async () => {
  const environment = new MemoryEnvironment({ files: { a: "a" } });
  environment.snapshot = async ({ signal } = {}) => {
    const slice = new TimeSlice(signal);
    for (;;) if (slice.isOver) await slice.next();
  };
  using bench = openBench({ environment, limits: { maxLookCpuMs: 20, maxLookMs: 1e9 } });
  expect((await bench.run(() => {})).text).toBe(noScan);
});

it("reports that nothing is covered when changes cannot be determined", async () => {
  const { workspace } = new MemoryEnvironment();
  using bench = openBench({ environment: { workspace } as MemoryEnvironment });
  expect(await bench.run(() => {})).toEqual({
    text: "[Undo does not cover: changes by its commands (this environment has no snapshots)]",
    changes: [],
  });
});

it("copies a file once, also across processes, until it is collected", async () => {
  await using fixture = await openCommandFixture({ a: "a\n", b: "b\n" });
  const environment = openLocalEnvironment({ workspace: fixture.workspace });
  using bench = openBench({ environment });
  fixture.beside("sleep 0.1");
  await bench.run(() => {});
  const { blobs } = bench;
  const kept: string[] = [];
  const keepFile: typeof blobs.keepFile = (files, path, signal) => {
    kept.push(path);
    return blobs.keepFile(files, path, signal);
  };
  const next = bench.beside({ blobs: { ...blobs, keepFile } });
  await next.run(() => {});
  expect(kept).toEqual([]);
  rmSync(join(bench.folder, "../blobs"), { recursive: true });
  bench.journal.append("collected", {});
  await next.run(() => {});
  expect(kept.sort()).toEqual(["a", "b"]);
});

it("runs no command when there is no space to store what it may change", { tags: "slow" }, async () => {
  await using fixture = await openCommandFixture({});
  writeFileSync(join(fixture.workspace, "large"), Buffer.alloc(3_000_000, "x"));
  const words = [
    process.execPath,
    await bundledProgram(new URL("../../../test/support/journal-scan/full-disk.ts", import.meta.url)),
    fixture.home,
  ];
  // A limit on file sizes fails like a full disk, and needs no separate disk.
  const limited = ["-c", `trap "" XFSZ; ulimit -f 2000; exec "$0" "$@"`, ...words];
  const { stdout, stderr } = spawnSync("bash", limited, { encoding: "utf8" });
  expect(JSON.parse(stdout || stderr)).toEqual({
    code: "unavailable",
    message: expect.stringContaining("large"),
    hint: expect.any(String),
  });
  expect(Object.keys(treeOf(fixture.workspace))).toEqual(["large"]);
});
