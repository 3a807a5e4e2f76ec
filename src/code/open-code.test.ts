/** @module-tag slow */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { PathGuard } from "../contract/guard.ts";
import { openCode } from "./open-code.ts";

const folder = temporaryFolder();
const [workspace, directory] = [join(folder.path, "work space"), join(folder.path, "index")];
mkdirSync(workspace);
mkdirSync(directory);
writeFileSync(join(workspace, "shapes.rs"), "/// Round.\npub struct Circle;\n");
writeFileSync(join(workspace, "secret.rs"), "pub struct Circle;\n");
const asked: string[] = [];
const guard: PathGuard = (use, path) => {
  asked.push(`${use} ${path}`);
  return path.endsWith("secret.rs") ? { reason: "is secret and cannot be read", rule: "secret" } : undefined;
};
const code = openCode({
  workspace,
  directory,
  reads: () => ({ key: "without secret.rs", guard }),
});
const { signal } = new AbortController();
afterAll(async () => {
  await code.close();
  await folder[Symbol.asyncDispose]();
});

it("keeps an index of the files that may be read, and no others", async () => {
  const open = () => code.index({ signal, progress: () => {} });
  let index = await open();
  while (index.state.outlined < index.state.outlinable) index = await open();
  const literal = { kind: "literal", text: "Circle", ignoreCase: false } as const;
  expect([
    index.state.files,
    await index.candidates(literal, { signal }),
    (await index.symbols({ name: "Circle", limit: 10 }, { signal })).map(({ path, kind }) => [path, kind]),
  ]).toEqual([1, ["shapes.rs"], [["shapes.rs", "struct"]]]);
  expect(new Set(asked)).toEqual(
    new Set([`read ${join(workspace, "shapes.rs")}`, `read ${join(workspace, "secret.rs")}`]),
  );
});

it("parses texts that are not in a file", async () => {
  const { symbols } = await code.outline(
    { path: "unsaved.go", text: "package a\n\nfunc B() {}\n" },
    { signal },
  );
  const { places } = await code.occurrences({ path: "unsaved.py", text: "a = 1\nprint(a)\n" }, "a", {
    signal,
  });
  expect([symbols.map(({ name }) => name), places.map(({ line, role }) => [line, role])]).toEqual([
    ["B"],
    [
      [1, "definition"],
      [2, "reference"],
    ],
  ]);
});
