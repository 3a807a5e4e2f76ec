import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { workspaceFiles } from "../system/directories.ts";
import { openToolcrib } from "./index.ts";
import { WorkspaceJournal } from "./workspace-journal.ts";

it("a path with a secret is stored only where undo needs it, and the log finds it", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  const token = `ghp_${"aB3dE6gH9jK2".repeat(3)}`;
  const path = `a/${token}/b.txt`;
  const crib = await openToolcrib({
    workspace: folder.path,
    stateDirectory: at("state"),
    configDirectory: at("config"),
    mode: "yolo",
    sandbox: "none",
  });
  await crib.call("file.write", { path, content: "one\n" });
  await crib.call("file.delete", { path });
  const { error } = await crib.call("journal.undo", {});
  const journal = new WorkspaceJournal({ state: at("state"), workspace: crib.workspace });
  const found = [path, `a/${token}`, "a", token].map(
    (below) => journal.summaries({ path: below }).calls.length,
  );
  journal.close();
  const database = new DatabaseSync(workspaceFiles(at("state"), crib.workspace).journal);
  const rows = (table: string) => database.prepare(`SELECT * FROM ${table}`).all();
  const secret = ["records", "running", "conversations", "summaries", "summaries_blocks"].flatMap((table) =>
    rows(table).flatMap((row) => (JSON.stringify(row).includes(token) ? [row["kind"] ?? table] : [])),
  );
  database.close();
  await crib.close();
  expect({ error, text: readFileSync(at(path), "utf8"), found, secret: new Set(secret) }).toEqual({
    error: null,
    text: "one\n",
    found: [3, 3, 3, 0],
    secret: new Set(["change"]),
  });
});
