import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { openUndoRoom, type UndoRoom } from "../../../test/support/undo/undo-room.ts";
import type { Undone } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";

interface CommandRoom extends UndoRoom {
  /** What a person, or a command, writes at any time. */
  write(path: string, content: string): void;
  read(path: string): string;
}

/** A room with a tool that stands for a command, while which files are written. */
async function openRoom(
  files: Readonly<Record<string, string>>,
  given: readonly string[] = [],
): Promise<CommandRoom> {
  const command: Tool<{ files: Record<string, string> }> = {
    name: "command",
    summary: "Runs a command.",
    risk: "execute",
    input: z.strictObject({ files: z.record(z.string(), z.string()) }),
    limits: { maxChars: 1000, keep: "head" },
    accesses: () => [{ kind: "execute", command: "make" }],
    run: async (input) => {
      for (const [path, content] of Object.entries(input.files)) write(path, content);
      return { data: null, text: "" };
    },
  };
  const room = await openUndoRoom({ tools: [command], rules: given });
  const write = (path: string, content: string) => {
    mkdirSync(dirname(room.path(path)), { recursive: true });
    writeFileSync(room.path(path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return { ...room, write, read: (path) => readFileSync(room.path(path), "utf8") };
}

const rules = ".toolcrib/rules";
const files = { a: "one\n", [rules]: "deny run rm **\n" };
const changed = { a: "1\n", [rules]: "deny run rm **\ndeny run git push **\n" };

it("leaves protected files to persons: one may have changed them while a command ran", async () => {
  await using room = await openRoom(files);
  const { callId } = await room.call("command", { files: changed });
  expect((await room.crib.call("journal.undo", {})).error).toEqual({
    code: "unavailable",
    message:
      "Nothing was undone: 1 of 2 paths cannot be restored.\n" +
      `${rules} cannot be restored: it is protected (protected **/.toolcrib/** (built-in)); only the user may undo that.`,
    hint: "Undo the others with `skip_changed: true`.",
  });
  await room.call("journal.undo", { skip_changed: true });
  expect([room.read("a"), room.read(rules)]).toEqual([files.a, changed[rules]]);
  const person = await room.reopen({ undoes: "workspace" });
  expect((await person.call("journal.undo", { call: callId })).error).toBe(null);
  await person.close();
  expect(room.read(rules)).toBe(files[rules]);
});

it("writes nothing for an agent that a rule denies, read or not, and all for a person", async () => {
  const before = { a: "one\n", "db/b": "one\n", "kept/c": "one\n", ".env": "A=1\n" };
  const after = { a: "1\n", "db/b": "2\n", "kept/c": "3\n", ".env": "A=2\n" };
  await using room = await openRoom(before, ["deny write db/**", "deny touch kept/**", "ask write a"]);
  const now = () => Object.keys(before).map(room.read);
  const { callId } = await room.call("command", { files: after });
  const { data } = await room.call("journal.undo", { skip_changed: true });
  expect((data as Undone).leftAlone).toEqual(["db/b", "kept/c"]);
  expect(now()).toEqual(["one\n", "2\n", "3\n", "A=1\n"]);
  const person = await room.reopen({ undoes: "workspace" });
  expect((await person.call("journal.undo", { call: callId })).error).toBe(null);
  await person.close();
  expect(now()).toEqual(Object.values(before));
});

it("does so where a transaction is rolled back", async () => {
  await using room = await openRoom(files);
  await room.call("transaction.begin", {});
  await room.call("command", { files: changed });
  const { data } = await room.call("transaction.rollback", {});
  expect(data).toMatchObject({ paths: ["a"], left: [rules] });
  expect([room.read("a"), room.read(rules)]).toEqual([files.a, changed[rules]]);
});

it("shows nothing of a secret file that somebody has changed since", async () => {
  await using room = await openRoom({ ".env": "PASSWORD=first\n" });
  await room.call("transaction.begin", {});
  await room.call("command", { files: { ".env": "PASSWORD=second\n" } });
  room.write(".env", "PASSWORD=third\n");
  const { content } = await room.crib.call("transaction.rollback", {});
  expect(content).toContain(".env");
  expect(content).not.toMatch(/first|second|third/);
});
