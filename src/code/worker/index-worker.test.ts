/** @module-tag slow */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { CodeWorker } from "./code-worker.ts";
import type { IndexerCallbacks, IndexerService } from "./index-service.ts";
import { IndexWorker } from "./index-worker.ts";

const always = new AbortController().signal;

it("answers other requests while a cancelled one continues", async () => {
  await using folder = temporaryFolder();
  const { worker, refresh, underway, verdicts } = askedAbout(folder.path);
  const cancelling = new AbortController();
  const unwanted = refresh(cancelling.signal);
  const wanted = refresh(always);
  await underway;
  cancelling.abort();
  await expect(unwanted).rejects.toMatchObject({
    code: "cancelled",
    message: "The call was cancelled while the index was read",
  });
  // A worker that handles one question at a time would be stopped by now.
  await sleep(600);
  verdicts.resolve([true]);
  expect(await wanted).toMatchObject({ files: 1 });
  await worker.close();
});

it("rejects waiting requests when it is closed", async () => {
  await using folder = temporaryFolder();
  const { worker, refresh, underway } = askedAbout(folder.path);
  const waiting = refresh(always).catch(({ code, message }) => ({ code, message }));
  await underway;
  await worker.close();
  expect(await waiting).toEqual({ code: "unavailable", message: "This Toolcrib is closed" });
});

it("continues when a progress listener fails", async () => {
  await using folder = temporaryFolder();
  for (let number = 0; number < 400; number += 1)
    writeFileSync(join(folder.path, `f${number}.ts`), `export class Made${number} {}\n`.repeat(200));
  const index = new IndexWorker({
    workspace: folder.path,
    directory: join(folder.path, ".index"),
    reads: { key: "", guard: () => undefined },
  });
  const progress = () => {
    throw new Error("Nobody listens");
  };
  const { state } = await index.index({ signal: always, progress });
  expect(state.files).toBe(400);
  const again = await index.index({ signal: always, progress });
  expect(
    await again.candidates({ kind: "literal", text: "Made7 ", ignoreCase: false }, { signal: always }),
  ).toContain("f7.ts");
  await index.close();
});

/** A worker that keeps an index of one file, and waits for a signal to read it. */
function askedAbout(workspace: string) {
  writeFileSync(join(workspace, "a.txt"), "alpha");
  const verdicts = Promise.withResolvers<readonly boolean[]>();
  const { promise: underway, resolve } = Promise.withResolvers<void>();
  const mayRead = () => {
    resolve();
    return verdicts.promise;
  };
  const ours: Pick<IndexerCallbacks, "mayRead" | "progress"> = { mayRead, progress: async () => {} };
  const indexed = { workspace, directory: join(workspace, ".index"), isElsewhere: false };
  const role = ["indexer", JSON.stringify(indexed)] as const;
  const worker = new CodeWorker<IndexerService>({ role, concurrency: Number.POSITIVE_INFINITY, ours });
  const refresh = (signal: AbortSignal) =>
    worker.ask("refresh", () => ({ asked: 1 }), { about: "the index", signal });
  return { worker, refresh, underway, verdicts };
}
