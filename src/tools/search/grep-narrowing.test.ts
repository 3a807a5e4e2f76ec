import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { Environment } from "../../contract/environment.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { fileList } from "../file/list.ts";
import { searchGlob } from "./glob.ts";
import { type GrepInput, grep } from "./grep.ts";
import { usualBudget } from "./grep-search.ts";

const files = {
  "a.txt": "one 1\none 2 x\ntwo\none 3\n",
  "b.txt": "one 4\nOne 5\n",
  "sub/C.TXT": "one one x\n",
};

let workspace: string;
const opened: Environment[] = [];
beforeAll(() => {
  workspace = fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib narrow "));
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    fs.writeFileSync(path.join(workspace, name), content);
  }
});
afterAll(async () => {
  for (const environment of opened) await environment.close?.();
  fs.rmSync(workspace, { recursive: true });
});

/** In memory, and with ripgrep if it is available. */
async function linesOf(input: GrepInput): Promise<readonly string[]> {
  const local = openLocalEnvironment({ workspace });
  opened.push(local);
  const inMemory = await grep(input, toolContext(new MemoryEnvironment({ files })), usualBudget);
  const onDisk = await grep(input, toolContext(local), { files: 0, bytes: 0 });
  expect(onDisk.text).toBe(inMemory.text);
  return inMemory.text.split("\n");
}

it("omits lines that match another expression, in every mode", async () => {
  expect([
    await linesOf({ pattern: "one", exclude: "x$|4" }),
    await linesOf({ pattern: "one", exclude: "x$|4", mode: "count" }),
    await linesOf({ pattern: "one", exclude: "X|ONE [1-3]", ignore_case: true, mode: "files" }),
    await linesOf({ pattern: "one", exclude: "x$", limit: 2, context: 1 }),
  ]).toEqual([
    ["a.txt:1:one 1", "a.txt:4:one 3"],
    ["a.txt:2"],
    ["b.txt"],
    ["a.txt:1:one 1", "a.txt-2-one 2 x", "a.txt-3-two", "a.txt:4:one 3"],
  ]);
});

it("refuses an exclude expression that only ripgrep supports", async () => {
  await expect(linesOf({ pattern: "one", exclude: "\\p{Greek_And_Nonsense}" })).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:unsupported|invalid-input)$/),
  });
});

it("shows only the matching text", async () => {
  expect([
    await linesOf({ pattern: "one( \\d)?", only_matching: true, context: 3 }),
    await linesOf({ pattern: "one", only_matching: true, mode: "count" }),
    await linesOf({ pattern: "two\\none", only_matching: true, multiline: true }),
  ]).toEqual([
    [
      "a.txt:1:one 1",
      "a.txt:2:one 2",
      "a.txt:4:one 3",
      "b.txt:1:one 4",
      "sub/C.TXT:1:one",
      "sub/C.TXT:1:one",
    ],
    ["a.txt:3", "b.txt:1", "sub/C.TXT:1"],
    ["a.txt:3:two", "a.txt:4:one 3"],
  ]);
});

it("shows a maximum of lines per file, and continues with the next", async () => {
  expect([
    await linesOf({ pattern: "one", max_per_file: 2 }),
    await linesOf({ pattern: "one", max_per_file: 1, limit: 3 }),
    await linesOf({ pattern: "one", max_per_file: 5, limit: 2, path: "a.txt" }),
  ]).toEqual([
    [
      "a.txt:1:one 1",
      "a.txt:2:one 2 x",
      "b.txt:1:one 4",
      "sub/C.TXT:1:one one x",
      "[at most 2 matches per file shown]",
    ],
    ["a.txt:1:one 1", "b.txt:1:one 4", "sub/C.TXT:1:one one x", "[at most 1 match per file shown]"],
    ["a.txt:1:one 1", "a.txt:2:one 2 x"],
  ]);
});

it("ignores case in globs on request", async () => {
  const context = toolContext(new MemoryEnvironment({ files }));
  const names = async (ignore_case: boolean) =>
    (await searchGlob.run({ pattern: "*.Txt", ignore_case, sort: "path" }, context)).data.files.map(
      (file) => file.path,
    );
  expect([await names(false), await names(true)]).toEqual([[], ["a.txt", "b.txt", "sub/C.TXT"]]);
});

it("omits excluded entries from a directory listing", async () => {
  const context = toolContext(new MemoryEnvironment({ files }));
  const { data } = await fileList.run({ exclude: ["b.*", "sub/"] }, context);
  const below = await fileList.run({ path: "sub", exclude: ["C.*"] }, context);
  expect([data.root.entries?.map(({ name }) => name), data.root.notShown, below.data.root.entries]).toEqual([
    ["a.txt"],
    2,
    [],
  ]);
});
