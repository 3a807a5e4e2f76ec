import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../../test/support/bundled-program.ts";
import { openCommandFixture, treeOf } from "../../../../test/support/journal-scan/command-fixture.ts";
import type { Outcome, ToolCall } from "../../../contract/call.ts";
import type { Change } from "../../../contract/history.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../../environment/memory/memory-environment.ts";
import { openBlobs } from "../../../journal/blobs.ts";
import { Journal } from "../../../journal/journal.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { lazyScanner } from "./lazy-scanner.ts";
import { openScanner, type Scanner, type ScannerParts } from "./scanner.ts";

interface Bench extends ScannerParts {
  /** Runs a simulated command, and returns its result and record. */
  run(
    act: () => unknown,
    command?: string,
  ): Promise<{ readonly text: string; readonly changes: readonly Change[] }>;
  incomplete(): string | undefined;
  /** Another process on the same folder. */
  beside(parts: Pick<ScannerParts, "blobs"> & Partial<ScannerParts>): Pick<Bench, "run" | "incomplete">;
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
  const scanner = openScanner(all);
  return {
    ...all,
    run: runWith(scanner),
    incomplete: () => scanner.incomplete,
    beside: (others) => {
      const own = { ...all, ...others };
      // As an instance that has run no command yet.
      return { run: runWith(openScanner(own)), incomplete: () => lazyScanner(own).incomplete };
    },
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

it("copies what the command names first, and no more than the limit", async () => {
  const files = { "src/a": "aaaa", "src/b": "bbbbb", c: "c", d: "dd", large: "l".repeat(9) };
  await using fixture = await openCommandFixture(files);
  fixture.beside("chmod -R u=rwX,go=rX . && sleep 0.1");
  const environment = openLocalEnvironment({ workspace: fixture.workspace });
  // Space for one named file and one other.
  const limits = { maxFileBytes: 8, maxBytes: 4096 };
  using bench = openBench({ environment, limits });
  const first = await bench.run(async () => {
    for (const path of ["src/a", "src/b", "large"]) await environment.delete(path);
  }, "rm src/* large");
  const lost = "not copied before the command";
  for (const sentence of [
    "large (too large to store)",
    `src/b (${lost})`,
    "any change to 2 files not copied before the command]",
  ])
    expect(first.text).toContain(sentence);
  expect(first.changes.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { path: "large", before: file("l".repeat(9), ""), after: nothing, lost: "too large to store" },
    { path: "src/a", before: file("aaaa"), after: nothing },
    { path: "src/b", before: file("bbbbb", ""), after: nothing, lost },
  ]);
  fixture.beside("sleep 0.1");
  // Says so once, but copies what has changed since.
  expect(await bench.run(() => environment.writeFile("d", Buffer.from("e")))).toEqual({
    text: `[Undo does not cover: d (${lost})]`,
    changes: [{ path: "d", before: file("dd", ""), after: file("e"), lost }],
  });
  expect(await bench.run(() => environment.delete("d"))).toEqual({
    text: "",
    changes: [{ path: "d", before: file("e"), after: nothing }],
  });
});

it("copies nothing when its time is up, and continues with the next command", async () => {
  await using fixture = await openCommandFixture({ a: "a", b: "b" });
  fixture.beside("sleep 0.1");
  const environment = openLocalEnvironment({ workspace: fixture.workspace });
  using bench = openBench({ environment });
  const hurried = bench.beside({ blobs: bench.blobs, limits: { maxMs: -1 } });
  expect((await hurried.run(() => environment.delete("a"), "rm ./a")).text).toBe(
    "[Undo does not cover: a (not copied before the command), any change to 2 files not copied before the command]",
  );
  const { text, changes } = await bench.run(() => environment.delete("b"));
  expect([text, changes]).toEqual(["", [{ path: "b", before: file("b"), after: nothing }]]);
});

it("copies small files first, and no more than the space for one workspace", async () => {
  const files = { large: "l".repeat(70_000), "src/b.ts": "bb", "src/c.ts": "ccc", "a.ts": "a" };
  await using fixture = await openCommandFixture(files);
  fixture.beside("sleep 0.1");
  const environment = openLocalEnvironment({ workspace: fixture.workspace });
  using bench = openBench({ environment });
  const kept: string[] = [];
  const keepFile: typeof bench.blobs.keepFile = (environment, path, signal) => {
    kept.push(path);
    return bench.blobs.keepFile(environment, path, signal);
  };
  const withLimit = (maxBytes: number) =>
    bench.beside({ blobs: { ...bench.blobs, keepFile }, limits: { maxBytes } });
  const first = await withLimit(2 * 4096).run(() => {});
  expect([first.text, kept.splice(0)]).toEqual([
    "[Undo does not cover: any change to 2 files not copied before the command]",
    ["a.ts", "src/b.ts"],
  ]);
  // The copies that exist count.
  const second = await withLimit(3 * 4096).run(() => {});
  expect([second.text, kept.splice(0)]).toEqual([
    "[Undo does not cover: any change to 1 file not copied before the command]",
    ["src/c.ts"],
  ]);
  expect([(await withLimit(1e6).run(() => {})).text, kept]).toEqual(["", ["large"]]);
});

it("says once that there are too many files, and does not scan them again for a while", async () => {
  const environment = new MemoryEnvironment({ files: { a: "a" } });
  const watchEffects = environment.watchEffects.bind(environment);
  let scans = 0;
  environment.watchEffects = (wanted) => {
    scans += 1;
    return watchEffects(wanted);
  };
  const limits = { maxEntries: 1_000 };
  const files = Array.from({ length: 1_000 }, (_, index) => `files/${index}`);
  for (const path of files) await environment.writeFile(path, Buffer.from(""));
  using bench = openBench({ environment, limits });
  const write = (path: string) => () => environment.writeFile(path, Buffer.from(""));
  const noScan =
    "[Undo does not cover: changes by its commands (there are more than 1,000 files and folders)]";
  expect(await bench.run(write("b"))).toEqual({ text: noScan, changes: [] });
  expect(await bench.run(write("c"))).toEqual({ text: "", changes: [] });
  expect(scans).toBe(1);
  expect(bench.incomplete()).toBe("there are more than 1,000 files and folders");
  const other = bench.beside({ blobs: bench.blobs, limits });
  expect(other.incomplete()).toBe("there are more than 1,000 files and folders");
  expect((await other.run(write("b"))).text).toBe(noScan);
  expect(scans).toBe(1);
  const impatient = bench.beside({ blobs: bench.blobs, limits: { ...limits, lookPauseMs: 0 } });
  await impatient.run(write("d"));
  await impatient.run(write("e"));
  expect(scans).toBe(3);
  for (const path of files) await environment.delete(path);
  await impatient.run(write("d"));
  expect(other.incomplete()).toBeUndefined();
});

it("runs a command without a scan that takes too long", async () => {
  const environment = new MemoryEnvironment({ files: { a: "a" } });
  environment.watchEffects = ({ signal }) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("too slow"))));
  using bench = openBench({ environment, limits: { maxLookMs: 5 } });
  const write = () => environment.writeFile("b", Buffer.from(""));
  expect(await bench.run(write)).toEqual({
    text: "[Undo does not cover: changes by its commands (scanning them takes too long)]",
    changes: [],
  });
});

it("reports that nothing is covered when changes cannot be determined", async () => {
  const { workspace } = new MemoryEnvironment();
  using bench = openBench({ environment: { workspace } as MemoryEnvironment });
  expect(await bench.run(() => {})).toEqual({
    text: "[Undo does not cover: changes by its commands (this environment cannot determine them)]",
    changes: [],
  });
  expect(bench.incomplete()).toBe("this environment cannot determine them");
});

it("copies a file once, also across processes, until it is collected", async () => {
  await using fixture = await openCommandFixture({ a: "a\n", b: "b\n" });
  const options = { workspace: fixture.workspace, effectRecords: join(fixture.home, "effects") };
  using bench = openBench({ environment: openLocalEnvironment(options) });
  fixture.beside("sleep 0.1");
  await bench.run(() => {});
  const { blobs } = bench;
  const kept: string[] = [];
  const keepFile: typeof blobs.keepFile = (files, path, signal) => {
    kept.push(path);
    return blobs.keepFile(files, path, signal);
  };
  const next = bench.beside({ blobs: { ...blobs, keepFile }, environment: openLocalEnvironment(options) });
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
    await bundledProgram(new URL("../../../../test/support/journal-scan/full-disk.ts", import.meta.url)),
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
