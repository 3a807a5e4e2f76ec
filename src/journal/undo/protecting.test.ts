import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { openUndoFixture, type UndoFixture } from "../../../test/support/undo/undo-fixture.ts";
import type { UndoneChanges } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";

interface CommandFixture extends UndoFixture {
  /** Writes a file as the user or a command might at any time. */
  write(path: string, content: string): void;
  read(path: string): string;
}

/** An instance with a tool that simulates a command which writes files. */
async function openFixture(
  files: Readonly<Record<string, string>>,
  given: readonly string[] = [],
): Promise<CommandFixture> {
  const command: Tool<{ files: Record<string, string> }> = {
    name: "command",
    description: "Runs a command.",
    risk: "execute",
    input: z.strictObject({ files: z.record(z.string(), z.string()) }),
    limits: { maxChars: 1000, keep: "head" },
    accesses: () => [{ kind: "execute", command: "make" }],
    run: async (input) => {
      for (const [path, content] of Object.entries(input.files)) write(path, content);
      return { data: null, text: "" };
    },
  };
  const fixture = await openUndoFixture({ tools: [command], rules: given });
  const write = (path: string, content: string) => {
    mkdirSync(dirname(fixture.path(path)), { recursive: true });
    writeFileSync(fixture.path(path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return { ...fixture, write, read: (path) => readFileSync(fixture.path(path), "utf8") };
}

const rules = ".toolcrib/rules";
const files = { a: "one\n", [rules]: "deny run rm **\n" };
const changed = { a: "1\n", [rules]: "deny run rm **\ndeny run git push **\n" };

it("leaves protected files to the user, who may have changed them while a command ran", async () => {
  await using fixture = await openFixture(files);
  const { callId } = await fixture.call("command", { files: changed });
  expect((await fixture.crib.call("journal.undo", {})).error).toEqual({
    code: "unavailable",
    message:
      "Nothing was undone: 1 of 2 paths cannot be restored.\n" +
      `${rules} cannot be restored: it is protected and cannot be written (protected **/.toolcrib/** (built-in)); only the user may undo that.`,
    hint: "Undo the others with `skip_changed: true`.",
  });
  await fixture.call("journal.undo", { skip_changed: true });
  expect([fixture.read("a"), fixture.read(rules)]).toEqual([files.a, changed[rules]]);
  const user = await fixture.reopen({ undoScope: "workspace" });
  expect((await user.call("journal.undo", { call: callId })).error).toBe(null);
  await user.close();
  expect(fixture.read(rules)).toBe(files[rules]);
});

it("does not write what a rule denies when an agent undoes, and writes it when the user does", async () => {
  const before = { a: "one\n", "db/b": "one\n", "kept/c": "one\n", ".env": "A=1\n" };
  const after = { a: "1\n", "db/b": "2\n", "kept/c": "3\n", ".env": "A=2\n" };
  await using fixture = await openFixture(before, ["deny write db/**", "deny touch kept/**", "ask write a"]);
  const now = () => Object.keys(before).map(fixture.read);
  const { callId } = await fixture.call("command", { files: after });
  const { data } = await fixture.call("journal.undo", { skip_changed: true });
  expect((data as UndoneChanges).leftAlone).toEqual(["db/b", "kept/c"]);
  expect(now()).toEqual(["one\n", "2\n", "3\n", "A=1\n"]);
  const user = await fixture.reopen({ undoScope: "workspace" });
  expect((await user.call("journal.undo", { call: callId })).error).toBe(null);
  await user.close();
  expect(now()).toEqual(Object.values(before));
});

it("leaves protected files alone when a transaction is rolled back", async () => {
  await using fixture = await openFixture(files);
  await fixture.call("transaction.begin", {});
  await fixture.call("command", { files: changed });
  const { error } = await fixture.crib.call("transaction.rollback", {});
  expect(error?.message).toMatch(
    /rolled back only in part: 1 path restored, 1 left alone\.\nLeft alone: \.toolcrib\/rules cannot be restored/,
  );
  expect([fixture.read("a"), fixture.read(rules)]).toEqual([files.a, changed[rules]]);
});

it("does not show a secret file that was changed since", async () => {
  await using fixture = await openFixture({ ".env": "PASSWORD=first\n" });
  await fixture.call("transaction.begin", {});
  await fixture.call("command", { files: { ".env": "PASSWORD=second\n" } });
  fixture.write(".env", "PASSWORD=third\n");
  const { content } = await fixture.crib.call("transaction.rollback", {});
  expect(content).toContain(".env");
  expect(content).not.toMatch(/first|second|third/);
});
