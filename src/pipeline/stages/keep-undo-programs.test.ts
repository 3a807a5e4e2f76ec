import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { openCommandFixture, treeOf } from "../../../test/support/journal-scan/command-fixture.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";

interface ChooserInput {
  readonly commands: string[];
  readonly ours?: boolean | undefined;
  readonly leavesFiles?: boolean | undefined;
  readonly fails?: boolean | undefined;
}

/** Starts programs on its own, and names none of them. */
const chooser: Tool<ChooserInput> = {
  name: "trial.choose",
  description: "For a test.",
  risk: "write",
  startsPrograms: true,
  input: z.strictObject({
    commands: z.array(z.string()),
    ours: z.optional(z.boolean()),
    leavesFiles: z.optional(z.boolean()),
    fails: z.optional(z.boolean()),
  }),
  limits: { maxChars: 1000, keep: "both" },
  accesses: () => [{ kind: "write", path: "." }],
  run: async ({ commands, ours, leavesFiles = false, fails }, { environment, signal }) => {
    for (const command of commands) {
      const confinement = ours ? { confinement: "ours" as const } : {};
      const options = { args: ["-c", command], signal, leavesFiles, ...confinement };
      await (await environment.start("bash", options)).exit;
    }
    if (fails) throw new ToolError("unavailable", "It failed at last");
    return { data: null, text: "done" };
  },
};

const files = { a: "a\n", "b/c": "c\n" };

it("undoes changes by programs that a tool started on its own", async () => {
  await using fixture = await openCommandFixture(files, { tools: [chooser] });
  const before = treeOf(fixture.workspace);
  const { callId } = await fixture.crib.call("trial.choose", {
    commands: ["echo x > a", "rm -r b; mkdir d; echo e > d/e"],
  });
  const after = treeOf(fixture.workspace);
  const undo = await fixture.crib.call("journal.undo", { call: callId });
  expect([undo.error, treeOf(fixture.workspace), after.a]).toEqual([null, before, 'file 644 "x\\n"']);
});

it("undoes changes made before the tool failed", async () => {
  await using fixture = await openCommandFixture(files, { tools: [chooser] });
  const before = treeOf(fixture.workspace);
  const { callId, error } = await fixture.crib.call("trial.choose", { commands: ["rm a"], fails: true });
  await fixture.crib.call("journal.undo", { call: callId });
  expect([error?.message, treeOf(fixture.workspace)]).toEqual(["It failed at last", before]);
});

it("scans for changes only when a tool starts an external program that may change files", async () => {
  await using fixture = await openCommandFixture(files, { tools: [chooser] });
  const changed = async (input: object) => {
    const { callId } = await fixture.crib.call("trial.choose", input);
    return (await fixture.crib.call("journal.undo", { call: callId })).error?.code ?? "undone";
  };
  writeFileSync(join(fixture.workspace, "a"), "x");
  expect([
    await changed({ commands: ["echo y > a"], ours: true }),
    await changed({ commands: ["true"], leavesFiles: true }),
    await changed({ commands: [] }),
    await changed({ commands: ["echo z > a"] }),
  ]).toEqual(["not-found", "not-found", "not-found", "undone"]);
});
