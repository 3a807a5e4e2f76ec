import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { openBlobs } from "../blobs.ts";
import { findChanges } from "./find-changes.ts";
import { Holdings } from "./holdings.ts";

it("stores files a command created only up to the limit, and lists all of them", async () => {
  await using folder = temporaryFolder();
  const environment = new MemoryEnvironment();
  const blobs = openBlobs(folder.path);
  const before = { snapshot: await environment.snapshot(), holdings: new Holdings(0), uncovered: new Map() };
  const made = ["aa", "bb", "cc"];
  for (const content of made) await environment.writeFile(content, Buffer.from(content));
  const parts = { environment, blobs, maxBytes: 5 };
  const { changes, uncovered } = await findChanges(before, await environment.snapshot(), parts);
  const hashes = made.map((content) => contentHash(Buffer.from(content)));
  expect(changes).toEqual(
    made.map((path, index) => ({
      path,
      before: { kind: "nothing" },
      after: { kind: "file", hash: hashes[index], bytes: 2, mode: 0o644 },
    })),
  );
  expect(hashes.map((hash) => blobs.has(hash))).toEqual([true, true, false]);
  expect(uncovered).toEqual(new Map());
});
