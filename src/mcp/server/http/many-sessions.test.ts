/** @module-tag slow */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { resultOf } from "../../../../test/support/mcp/client-fixture.ts";
import { httpFixture } from "../../../../test/support/mcp/http-fixture.ts";
import { descendantProcesses, wordsOf } from "../../../../test/support/workers/child-processes.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Without sharing, they would have three workers each. */
const sessions = 5;
/** The code reader, the indexer and two document readers. The indexer has one builder per core. */
const mostWorkers = 4 + Math.min(availableParallelism(), 8);

it("shares its workers between the sessions of a workspace, and ends them when they are idle", async () => {
  // The maximum idle time is ten minutes.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await using fixture = await httpFixture();
  for (const [path, text] of [
    ["shape.ts", "export class Shape {}\n"],
    ["table.csv", "a,b\n1,2\n"],
  ] as const)
    writeFileSync(join(fixture.workspace, path), text);
  // Programs that other tests share, such as a database, start processes at any time.
  const former = descendantProcesses();
  const workers = () => descendantProcesses(former).map((pid) => wordsOf(pid).join(" "));
  const connected = await Promise.all(Array.from({ length: sessions }, () => fixture.connect("2025-11-25")));
  const calls = [
    { name: "code_search", arguments: { query: "Shape" } },
    { name: "code_symbols", arguments: { path: "shape.ts" } },
    { name: "document_read", arguments: { path: "table.csv" } },
    { name: "search_grep", arguments: { pattern: "Shape" } },
  ];
  const answers = await Promise.all(
    connected.flatMap(({ client }) =>
      calls.map(async (call) => resultOf(await client.callTool(call)).isError),
    ),
  );
  const during = workers().length;
  expect([answers.filter(Boolean), fixture.instances.length]).toEqual([[], sessions]);
  expect(during).toBeGreaterThan(0);
  expect(during).toBeLessThanOrEqual(mostWorkers);
  await vi.waitFor(() => {
    // A worker that was still busy became idle after the last look.
    vi.advanceTimersByTime(600_000);
    expect(workers()).toEqual([]);
  });
});
