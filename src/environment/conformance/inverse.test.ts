/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import type { ChangeReceipt, Environment, FileChange } from "../../contract/environment.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { openLocalWorld } from "./local-world.ts";
import { openRemoteWorld } from "./remote-world.ts";

const paths = ["one", "two", "folder/three", "folder/four", "folder/deep/five", "new/six"];
const content = fc.uint8Array({ maxLength: 20 });
const mode = fc.constantFrom(0o600, 0o644, 0o755);

/** The initial entry at each path, and the changed one if it changes. */
const start = fc.array(fc.option(content, { nil: undefined }), { minLength: 6, maxLength: 6 });
const plan = fc.array(
  fc.option(
    fc.record({ content: fc.oneof(content, fc.constant("nothing" as const)), mode: fc.option(mode) }),
    { nil: undefined },
  ),
  { minLength: 6, maxLength: 6 },
);

type Files = Readonly<Record<string, readonly [text: string, mode: number]>>;

async function filesOf(environment: Environment): Promise<Files> {
  const found: Record<string, readonly [string, number]> = {};
  for (const path of paths) {
    const file = await environment.readFile(path, { maxBytes: 1000 }).catch(() => undefined);
    if (file !== undefined) found[path] = [Buffer.from(file.bytes).toString("hex"), file.info.mode];
  }
  return found;
}

async function changesTo(
  environment: Environment,
  wanted: typeof plan extends fc.Arbitrary<infer Plan> ? Plan : never,
): Promise<readonly FileChange[]> {
  const files = await filesOf(environment);
  return wanted.flatMap((change, index) => {
    const path = paths[index]!;
    const now = files[path];
    if (change === undefined) return [];
    const before = now === undefined ? "nothing" : contentHash(Buffer.from(now[0], "hex"));
    return [{ path, before, after: change.content, ...(change.mode === null ? {} : { mode: change.mode }) }];
  });
}

/** Inverts a change set, which requires its `before` contents. */
function inverseOf(
  changes: readonly FileChange[],
  receipts: readonly ChangeReceipt[],
  files: Files,
): readonly FileChange[] {
  return changes.map(({ path, after }, index) => {
    const { before: info } = receipts[index]!;
    const old = files[path];
    return {
      path,
      before: after === "nothing" ? "nothing" : contentHash(after),
      after: old === undefined ? "nothing" : Buffer.from(old[0], "hex"),
      ...(info === undefined ? {} : { mode: info.mode }),
    };
  });
}

const worlds = {
  memory: () => {
    const environment = new MemoryEnvironment();
    return { environment, [Symbol.asyncDispose]: () => environment.close() };
  },
  disk: () => openLocalWorld(),
  target: () => openRemoteWorld(openLocalWorld()),
};

it.each(["memory", "disk", "target"] as const)(
  "a change set followed by its inverse restores every file (%s)",
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(start, plan, async (contents, wanted) => {
        await using world = await worlds[kind]();
        const { environment } = world;
        const begin = contents.map((bytes) => bytes && { content: bytes, mode: null });
        await environment.change(await changesTo(environment, begin), { durable: false });
        const first = await filesOf(environment);
        const changes = await changesTo(environment, wanted);
        const receipts = await environment.change(changes, { durable: false });
        const expected: Record<string, unknown> = { ...first };
        for (const { path, after, mode: bits } of changes) {
          if (after === "nothing") delete expected[path];
          else {
            const text = Buffer.from(after).toString("hex");
            expected[path] = [text, bits ?? first[path]?.[1] ?? expect.any(Number)];
          }
        }
        expect(await filesOf(environment)).toEqual(expected);
        await environment.change(inverseOf(changes, receipts, first), { durable: false });
        expect(await filesOf(environment)).toEqual(first);
      }),
      { numRuns: rounds(15) },
    );
  },
);
