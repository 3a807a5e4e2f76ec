import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { MemoryEnvironment } from "../../../environment/memory/memory-environment.ts";
import { openBlobs } from "../../../journal/blobs.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { findChanges } from "./find-changes.ts";

it("stores files a command created only up to the limit, and lists all of them", async () => {
  await using folder = temporaryFolder();
  const environment = new MemoryEnvironment();
  const blobs = openBlobs(folder.path);
  const watch = await environment.watchEffects({ id: "call_1", storedSince: 0, maxEntries: 10 });
  const made = ["aa", "bb", "cc"];
  for (const content of made) await environment.writeFile(content, Buffer.from(content));
  const { differences } = await watch.end();
  const { changes } = await findChanges(differences, { environment, blobs, reasons: new Map(), maxBytes: 5 });
  const hashes = made.map((content) => contentHash(Buffer.from(content)));
  expect(changes).toEqual(
    made.map((path, index) => ({
      path,
      before: { kind: "nothing" },
      after: { kind: "file", hash: hashes[index], bytes: 2, mode: 0o644 },
    })),
  );
  expect(hashes.map((hash) => blobs.has(hash))).toEqual([true, true, false]);
});
