import fc from "fast-check";
import { expect } from "vitest";
import { type openCommandFixture, treeOf } from "../support/journal-scan/command-fixture.ts";

const names = ["a", "b", "d", "d/a", "d/e", "d/e/b", "c", "c/a"];
const name = fc.constantFrom(...names);
const mode = fc.constantFrom("600", "644", "755", "700");
/** Only root can look into a directory without x permission, so for an ordinary user directories keep it. */
const directoryMode = (bits: string) =>
  process.getuid?.() === 0 ? bits : (Number.parseInt(bits, 8) | 0o100).toString(8);

/** One step of a script. A step that is impossible is skipped. */
const step = fc.oneof(
  fc.tuple(name, fc.nat(3)).map(([path, length]) => `printf '${"x".repeat(length)}' > ${path}`),
  name.map((path) => `printf more >> ${path}`),
  name.map((path) => `rm -r ${path}`),
  name.map((path) => `mkdir -p ${path}`),
  fc.tuple(name, name).map(([from, to]) => `mv -T ${from} ${to}`),
  fc.tuple(name, name).map(([target, path]) => `ln -s ${target} ${path}`),
  fc.tuple(name, name).map(([target, path]) => `ln ${target} ${path}`),
  fc
    .tuple(mode, name)
    .map(
      ([bits, path]) =>
        `test -L ${path} || { test -d ${path} && chmod ${directoryMode(bits)} ${path}; } || chmod ${bits} ${path}`,
    ),
  name.map((path) => `cp -p ${path} t; printf z > ${path}; touch -r t ${path}; rm t`),
);

const script = fc
  .array(step, { minLength: 1, maxLength: 8 })
  .map((steps) => steps.map((line) => `{ ${line}; }`).join("\n"));

const scriptedFiles = { a: "a", "d/a": "da", "d/e/b": "deb", "c/a": "ca" };

/** Undoes and redoes random scripts. */
export async function undoRandomScripts(
  open: (files: typeof scriptedFiles) => ReturnType<typeof openCommandFixture>,
  numRuns: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 3, maxLength: 3 }), async (scripts) => {
      await using fixture = await open(scriptedFiles);
      for (const command of scripts) {
        const before = treeOf(fixture.workspace);
        const call = await fixture.bash(`exec 2> /dev/null\n${command}\ntrue`);
        const after = treeOf(fixture.workspace);
        if (JSON.stringify(before) === JSON.stringify(after)) continue;
        const undo = await fixture.undo(call);
        expect([treeOf(fixture.workspace), call.content, undo.content]).toEqual([before, "", ""]);
        const redo = await fixture.undo(undo);
        expect([treeOf(fixture.workspace), redo.content]).toEqual([after, ""]);
      }
    }),
    { numRuns },
  );
}
