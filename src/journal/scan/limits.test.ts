import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openCommandFixture, treeOf } from "../../../test/support/journal-scan/command-fixture.ts";
import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Change } from "../../contract/history.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { openBlobs } from "../blobs.ts";
import { Journal } from "../journal.ts";
import { openScanner, type ScannerParts } from "./scanner.ts";

interface Bench extends ScannerParts {
  /** Runs a simulated command, and returns its result and record. */
  run(act: () => unknown): Promise<{ readonly text: string; readonly changes: readonly Change[] }>;
  [Symbol.dispose](): void;
}

function openBench(parts: Pick<ScannerParts, "environment"> & Partial<ScannerParts>): Bench {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib limits "));
  const journal = new Journal({ file: join(home, "journal.sqlite"), session: "session_1" });
  const blobs = openBlobs(join(home, "blobs"));
  const all = { journal, blobs, folder: join(home, "scans"), ...parts };
  const scanner = openScanner(all);
  let calls = 0;
  return {
    ...all,
    run: async (act) => {
      calls += 1;
      const call = { id: `call_${calls}`, account: {}, signal: new AbortController().signal } as ToolCall;
      const outcome = await scanner.around(call, async () => {
        await act();
        return { ok: true, text: "", fullText: "" } as Outcome;
      });
      const changes = journal.changesOf([call.id]).map(({ callId: _, sequence: __, ...change }) => change);
      return { text: outcome.ok ? outcome.text : outcome.error.message, changes };
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

it("copies no more than the limit, and continues with the next command", async () => {
  const environment = new MemoryEnvironment({
    files: { a: "aaaa", b: "bbbb", c: "cc", large: "l".repeat(9) },
  });
  using bench = openBench({ environment, limits: { maxFileBytes: 8, maxBytes: 7 } });
  const first = await bench.run(async () => {
    for (const path of ["a", "b", "large"]) await environment.delete(path);
  });
  const tooMuch = "more than is copied for one command";
  expect(first).toEqual({
    text: `[Undo does not cover: large (too large to store), b (${tooMuch})]`,
    changes: [
      { path: "large", before: file("l".repeat(9), ""), after: nothing, lost: "too large to store" },
      { path: "b", before: file("bbbb", ""), after: nothing, lost: tooMuch },
      { path: "a", before: file("aaaa"), after: nothing },
    ],
  });
  const second = await bench.run(() => environment.writeFile("d", Buffer.from("dd")));
  expect(second).toEqual({ text: "", changes: [{ path: "d", before: nothing, after: file("dd") }] });
});

it("copies nothing when its time is up", async () => {
  const environment = new MemoryEnvironment({ files: { a: "a" } });
  using bench = openBench({ environment, limits: { maxMs: -1 } });
  expect((await bench.run(() => environment.delete("a"))).text).toBe(
    "[Undo does not cover: a (no time was left to copy it)]",
  );
});

it("runs a command without a scan when there is too much to scan", async () => {
  const environment = new MemoryEnvironment({ files: { a: "a" } });
  // It takes all of its time limit.
  environment.snapshot = ({ signal } = {}) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("too slow"))));
  using bench = openBench({ environment, limits: { maxLookMs: 5 } });
  const text = "[Undo does not cover: changes by its commands (there are too many files to scan)]";
  for (const path of ["b", "c"]) {
    expect(await bench.run(() => environment.writeFile(path, Buffer.from("")))).toEqual({
      text,
      changes: [],
    });
  }
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
  const next = openBenchBeside(bench, { ...blobs, keepFile });
  await next.run(() => {});
  expect(kept).toEqual([]);
  rmSync(join(bench.folder, "../blobs"), { recursive: true });
  bench.journal.append("collected", {});
  await next.run(() => {});
  expect(kept.sort()).toEqual(["a", "b"]);
});

/** Another process on the same folder. */
function openBenchBeside(bench: Bench, blobs: ScannerParts["blobs"]) {
  const scanner = openScanner({ ...bench, blobs });
  return {
    run: (act: () => unknown) =>
      scanner.around(
        { id: "call_x", account: {}, signal: new AbortController().signal } as ToolCall,
        async () => {
          await act();
          return { ok: true, text: "", fullText: "" } as Outcome;
        },
      ),
  };
}

it("runs no command when there is no space to store what it may change", async () => {
  await using fixture = await openCommandFixture({});
  writeFileSync(join(fixture.workspace, "large"), Buffer.alloc(3_000_000, "x"));
  const words = [
    process.execPath,
    fileURLToPath(new URL("../../../test/support/journal-scan/full-disk.ts", import.meta.url)),
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
