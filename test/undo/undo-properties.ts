import fc from "fast-check";
import { expect, it } from "vitest";
import type { EntryState } from "../../src/contract/history.ts";
import { isSameState } from "../../src/journal/entry-states.ts";
import { type UndoFixture, wholeOf } from "../support/undo/undo-fixture.ts";

type Whole = Readonly<Record<string, EntryState>>;

const paths = ["a", "b", "d/a", "d/e/b", "d/e", "f/a", "d"];
const path = fc.constantFrom(...paths);
const content = fc.constantFrom(
  "",
  "one\n",
  "one\ntwo\nthree\n",
  "x\0y",
  "grün\r\n",
  "one\nTWO\nthree\nfour\n",
);

/** A call that may change something; most can. */
const anyCall = fc.oneof(
  fc.record({ tool: fc.constant("file.write"), input: fc.record({ path, content }) }),
  fc.record({
    tool: fc.constant("edit.replace"),
    input: fc.record({
      path,
      find: fc.constantFrom("one", "two"),
      replace: fc.constantFrom("1", "two\ntwo"),
    }),
  }),
  fc.record({ tool: fc.constant("file.delete"), input: fc.record({ path, recursive: fc.boolean() }) }),
  fc.record({
    tool: fc.constant("file.move"),
    input: fc.record({ from: path, to: path, replace: fc.boolean() }),
  }),
  fc.record({
    tool: fc.constant("edit.patch"),
    input: fc.record({
      patch: fc
        .tuple(path, path)
        .map(
          ([one, other]) =>
            `*** Begin Patch\n*** Add File: ${one}/new\n+new\n*** Delete File: ${other}\n*** End Patch`,
        ),
    }),
  }),
);

/** The files of a fixture. It also has the symlink `link` to `d/a`. */
export const propertyFiles: Readonly<Record<string, string>> = {
  a: "one\ntwo\nthree\n",
  "d/a": "one\n",
  "d/e/b": "x\0y",
  "f/a": "",
};

interface Made {
  readonly id: string;
  readonly before: Whole;
  readonly after: Whole;
}

/** Makes calls. Returns those that changed something, with the states before and after. */
async function make(
  fixture: UndoFixture,
  calls: readonly { tool: string; input: object }[],
): Promise<Made[]> {
  const made: Made[] = [];
  let before = await wholeOf(fixture.elsewhere);
  for (const { tool, input } of calls) {
    const { callId } = await fixture.crib.call(tool, input);
    const after = await wholeOf(fixture.elsewhere);
    if (JSON.stringify(after) !== JSON.stringify(before)) made.push({ id: callId, before, after });
    before = after;
  }
  return made;
}

/** Registers the properties of undo, which must hold on every machine. */
export function testUndoProperties(open: () => Promise<UndoFixture>, numRuns: number): void {
  it("undoes call after call back to the beginning, and redoes them all", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 8 }), async (calls) => {
        await using fixture = await open();
        const made = await make(fixture, calls);
        for (const { before } of made.toReversed()) {
          await fixture.call("journal.undo", {});
          expect(await wholeOf(fixture.elsewhere)).toEqual(before);
        }
        for (const { after } of made) {
          await fixture.call("journal.undo", { redo: true });
          expect(await wholeOf(fixture.elsewhere)).toEqual(after);
        }
      }),
      { numRuns },
    );
  });

  it("undoes and redoes a range, a number of calls, or everything after a checkpoint", async () => {
    const ways = fc.constantFrom("range", "last", "checkpoint");
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCall, { maxLength: 3 }),
        fc.array(anyCall, { minLength: 1, maxLength: 6 }),
        ways,
        async (earlier, later, way) => {
          await using fixture = await open();
          await make(fixture, earlier);
          await fixture.call("journal.checkpoint", { name: "here" });
          const made = await make(fixture, later);
          const [first, last] = [made[0], made.at(-1)];
          if (!first || !last) return;
          const input = {
            range: { call: `${first.id}..${last.id}` },
            last: { last: made.length },
            checkpoint: { checkpoint: "here" },
          }[way];
          await fixture.crib.call("journal.undo", input);
          expect(await wholeOf(fixture.elsewhere)).toEqual(first.before);
          if (JSON.stringify(first.before) === JSON.stringify(last.after)) return;
          await fixture.call("journal.undo", { redo: true });
          expect(await wholeOf(fixture.elsewhere)).toEqual(last.after);
        },
      ),
      { numRuns },
    );
  });

  it("never touches a path changed since the undone calls, and undoes all or nothing", async () => {
    const edit = fc.record({ path, content: fc.constantFrom("human\n", "one\nhuman\nthree\n") });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCall, { minLength: 1, maxLength: 6 }),
        fc.array(edit, { maxLength: 3 }),
        fc.nat(),
        fc.boolean(),
        async (calls, edits, pick, skip_changed) => {
          await using fixture = await open();
          const made = await make(fixture, calls);
          const undone = made[pick % Math.max(1, made.length)];
          if (!undone) return;
          for (const { path: edited, content: text } of edits)
            await fixture.elsewhere.writeFile(edited, Buffer.from(text)).catch(() => {});
          const found = await wholeOf(fixture.elsewhere);
          const result = await fixture.crib.call("journal.undo", { call: undone.id, skip_changed });
          const left = await wholeOf(fixture.elsewhere);
          if (result.isError) expect(left).toEqual(found);
          for (const name of new Set([...Object.keys(found), ...Object.keys(left)])) {
            const [now, then] = [found[name] ?? nothing, left[name] ?? nothing];
            if (isSameState(now, then)) continue;
            const isMadeForIt = now.kind === "nothing" && then.kind === "directory";
            if (isMadeForIt || isMovedWith(name, undone)) continue;
            const wasLeftSo =
              isSameState(now, undone.after[name] ?? nothing) || wasMovedHere(now, undone, found);
            expect([name, wasLeftSo]).toEqual([name, true]);
          }
        },
      ),
      { numRuns: 2 * numRuns },
    );
  });

  it("keeps every line of the user when it merges", async () => {
    const edit = fc.record({ path, line: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCall, { minLength: 1, maxLength: 5 }),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        async (calls, edits, pick) => {
          await using fixture = await open();
          const made = await make(fixture, calls);
          const undone = made[pick % Math.max(1, made.length)];
          if (!undone) return;
          for (const [index, { path: edited, line }] of edits.entries()) {
            const { bytes } = await fixture.elsewhere
              .readFile(edited, { maxBytes: 1e6 })
              .catch(() => ({ bytes: undefined }));
            if (!bytes) continue;
            const lines = Buffer.from(bytes).toString("latin1").split("\n");
            const content = lines.toSpliced(line, 0, `by user ${index}`).join("\n");
            await fixture.elsewhere.writeFile(edited, Buffer.from(content, "latin1"));
          }
          const before = await linesOfPeople(fixture);
          await fixture.crib.call("journal.undo", { call: undone.id, merge: true });
          expect(await linesOfPeople(fixture)).toEqual(before);
        },
      ),
      { numRuns: 2 * numRuns },
    );
  });
}

async function linesOfPeople({ elsewhere }: UndoFixture): Promise<readonly string[]> {
  const names = Object.entries(await wholeOf(elsewhere)).filter(([, { kind }]) => kind === "file");
  const texts = await Promise.all(names.map(([name]) => elsewhere.readFile(name, { maxBytes: 1e6 })));
  return texts
    .flatMap(
      ({ bytes }) =>
        Buffer.from(bytes)
          .toString("latin1")
          .match(/by user \d/g) ?? [],
    )
    .sort();
}

const nothing: EntryState = { kind: "nothing" };

/** The result of the call under another name, if it was moved since. */
function wasMovedHere(now: EntryState, { before, after }: Made, found: Whole): boolean {
  const names = Object.keys(after).filter(
    (name) => !isSameState(before[name] ?? nothing, after[name] ?? nothing),
  );
  return names.some((name) => found[name] === undefined && isSameState(now, after[name] ?? nothing));
}

/** The contents of a directory that the call moved are moved back with it, even if they changed. */
function isMovedWith(name: string, { before, after }: Made): boolean {
  const folders = [...Object.entries(before), ...Object.entries(after)]
    .filter(([folder, { kind }]) => kind === "directory" && (!before[folder] || !after[folder]))
    .map(([folder]) => folder);
  return folders.some((folder) => name.startsWith(`${folder}/`));
}
