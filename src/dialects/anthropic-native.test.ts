import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { messagesTools } from "../adapters/anthropic.ts";
import { openToolcrib, type Toolcrib } from "../toolcrib.ts";

const editor = "str_replace_based_edit_tool";

it("is sent as the types that the models know", async () => {
  await using room = await nativeRoom();
  const [first, second, ...others] = await messagesTools(room.crib);
  expect([first, second, others.map(({ name }) => name)]).toEqual([
    { type: "text_editor_20250728", name: editor, max_characters: 30_000 },
    { type: "bash_20250124", name: "bash" },
    ["file_list", "search_grep", "search_glob", "journal_undo"],
  ]);
});

it("views, creates, replaces and inserts", async () => {
  await using room = await nativeRoom();
  const edit = async (input: object) => (await room.crib.call(editor, input)).isError;
  const path = "a.py";
  expect([
    await edit({ command: "create", path, file_text: "def f():\n    a = 1\n    b = 2\n" }),
    await edit({ command: "str_replace", path, old_str: "b = 2", new_str: "b = 3" }),
    await edit({ command: "insert", path, insert_line: 1, insert_text: "  odd\nflush\n" }),
    await edit({ command: "insert", path, insert_line: 5, insert_text: "# end" }),
    await edit({ command: "insert", path, insert_line: 0, insert_text: "# start\n" }),
  ]).toEqual([false, false, false, false, false]);
  const view = async (view_range?: number[]) =>
    (await room.crib.call(editor, { command: "view", path, ...(view_range && { view_range }) })).content;
  expect([await view(), await view([2, 3])]).toEqual([
    "1 | # start\n2 | def f():\n3 |   odd\n4 | flush\n5 |     a = 1\n6 |     b = 3\n7 | # end",
    expect.stringMatching(/^2 \| def f\(\):\n3 \| {3}odd/),
  ]);
  const names = room.crib.history(10).map(({ tool }) => tool);
  expect(names.toReversed().slice(0, 5)).toEqual([
    "file.write",
    "edit.replace",
    "edit.diff",
    "edit.diff",
    "edit.smart",
  ]);
});

it("says what is missing, and which range names nothing", async () => {
  await using room = await nativeRoom();
  const told = async (input: object) => (await room.crib.call(editor, input)).content;
  expect([
    await told({ command: "create", path: "a" }),
    await told({ command: "view", path: "a", view_range: [5, 2] }),
    await told({ command: "insert", path: "a", insert_line: -1, insert_text: "x" }),
    await told({ command: "insert", path: "a", insert_line: 1, insert_text: "" }),
    await told({ command: "undo_edit", path: "a" }),
    (await room.crib.call("bash", { restart: true })).content,
  ]).toEqual([
    "`file_text` is missing\nGive `file_text` for this command.",
    "view_range [5, 2] names no lines\nGive the first and the last line, counted from 1: [11, 20], or [11, -1] to the end.",
    "There is no line -1\nGive the line to insert after, counted from 1, or 0 to insert before the first.",
    "`insert_text` is empty\nGive what to insert; a line break alone inserts an empty line.",
    expect.stringContaining("command"),
    "Nothing to restart: the next command starts bash.",
  ]);
});

it("keeps a bash, and starts it anew when it is told to", async () => {
  await using room = await nativeRoom();
  const run = async (input: object) => (await room.crib.call("bash", input)).content;
  await run({ command: "word=kept" });
  const kept = await run({ command: "echo $word" });
  await run({ restart: true });
  expect([kept, await run({ command: "echo [$word]" })]).toEqual([
    expect.stringMatching(/^kept/),
    expect.stringMatching(/^\[\]/),
  ]);
});

async function nativeRoom(): Promise<{ crib: Toolcrib } & AsyncDisposable> {
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
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
