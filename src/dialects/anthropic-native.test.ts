import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { messagesTools } from "../adapters/anthropic.ts";
import { openToolcrib, type Toolcrib } from "../toolcrib/index.ts";

const editor = "str_replace_based_edit_tool";

it("is sent as the native tool types", async () => {
  await using fixture = await nativeFixture();
  const [first, second, ...others] = await messagesTools(fixture.crib);
  expect([first, second, others.map(({ name }) => name)]).toEqual([
    { type: "text_editor_20250728", name: editor, max_characters: 30_000 },
    { type: "bash_20250124", name: "bash" },
    ["file_list", "search_grep", "search_glob", "journal_undo"],
  ]);
});

it("views, creates, replaces and inserts", { tags: "slow" }, async () => {
  await using fixture = await nativeFixture();
  const edit = async (input: object) => (await fixture.crib.call(editor, input)).isError;
  const path = "a.py";
  expect([
    await edit({ command: "create", path, file_text: "def f():\n    a = 1\n    b = 2\n" }),
    await edit({ command: "str_replace", path, old_str: "b = 2", new_str: "b = 3" }),
    await edit({ command: "insert", path, insert_line: 3, insert_text: "# end" }),
    await edit({ command: "insert", path, insert_line: 0, insert_text: "# start\n" }),
  ]).toEqual([false, false, false, false]);
  const view = async (view_range?: number[]) =>
    (await fixture.crib.call(editor, { command: "view", path, ...(view_range && { view_range }) })).content;
  expect([await view(), await view([2, 3])]).toEqual([
    "1 | # start\n2 | def f():\n3 |     a = 1\n4 |     b = 3\n5 | # end",
    expect.stringMatching(/^2 \| def f\(\):\n3 \| {5}a = 1/),
  ]);
  const names = fixture.crib.log({ limit: 10 }).map(({ tool }) => tool);
  expect(names.toReversed().slice(0, 4)).toEqual(["file.write", "edit.replace", "edit.smart", "edit.smart"]);
});

it("inserts at any position without changing other bytes", async () => {
  await using fixture = await nativeFixture();
  let files = 0;
  const inserted = async (before: string, insert_line: number, insert_text: string) => {
    files += 1;
    const path = `${files}.txt`;
    fixture.write(path, before);
    const { isError } = await fixture.crib.call(editor, {
      command: "insert",
      path,
      insert_line,
      insert_text,
    });
    return isError ? "refused" : fixture.read(path);
  };
  expect([
    await inserted("    one\n    two\n", 0, "zero\n  odd\n"),
    await inserted("    one\n    two\n", 1, "  odd\nflush\n"),
    await inserted("\tone\n", 1, "    spaces"),
    await inserted("a\nb\nc", 3, "X\n"),
    await inserted("a\r\nb\r\n", 1, "X"),
    await inserted("a\n", 7, "X\n"),
  ]).toEqual([
    "zero\n  odd\n    one\n    two\n",
    "    one\n  odd\nflush\n    two\n",
    "\tone\n    spaces\n",
    "a\nb\nc\nX\n",
    "a\r\nX\r\nb\r\n",
    "refused",
  ]);
});

it("reports missing fields and invalid ranges", async () => {
  await using fixture = await nativeFixture();
  const outputFor = async (input: object) => (await fixture.crib.call(editor, input)).content;
  expect([
    await outputFor({ command: "create", path: "a" }),
    await outputFor({ command: "view", path: "a", view_range: [5, 2] }),
    await outputFor({ command: "insert", path: "a", insert_line: -1, insert_text: "x" }),
    await outputFor({ command: "insert", path: "a", insert_line: 1, insert_text: "" }),
    await outputFor({ command: "undo_edit", path: "a" }),
    (await fixture.crib.call("bash", { restart: true })).content,
  ]).toEqual([
    "`file_text` is missing\nGive `file_text` for this command.",
    "view_range [5, 2] is not a valid range\nGive the first and the last line, starting at 1: [11, 20], or [11, -1] for the rest of the file.",
    "Line -1 does not exist\nGive the line to insert after, starting at 1, or 0 to insert at the beginning.",
    "`insert_text` is empty\nGive the text to insert. A line break inserts an empty line.",
    expect.stringContaining("command"),
    "Bash is not running. The next command starts it.",
  ]);
});

it("keeps a bash session, and restarts it on request", { tags: "slow" }, async () => {
  await using fixture = await nativeFixture();
  const run = async (input: object) => (await fixture.crib.call("bash", input)).content;
  await run({ command: "word=kept" });
  const kept = await run({ command: "echo $word" });
  await run({ restart: true });
  expect([kept, await run({ command: "echo [$word]" })]).toEqual([
    expect.stringMatching(/^kept/),
    expect.stringMatching(/^\[\]/),
  ]);
});

interface NativeFixture extends AsyncDisposable {
  readonly crib: Toolcrib;
  write(path: string, text: string): void;
  read(path: string): string;
}

async function nativeFixture(): Promise<NativeFixture> {
  const folder = temporaryFolder();
  const crib = await openToolcrib({
    dialect: "anthropic-native",
    mode: "yolo",
    workspace: folder.path,
    stateDirectory: join(folder.path, ".state"),
    configDirectory: join(folder.path, ".config"),
  });
  return {
    crib,
    write: (path, text) => writeFileSync(join(folder.path, path), text),
    read: (path) => readFileSync(join(folder.path, path), "utf8"),
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
