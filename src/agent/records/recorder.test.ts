import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { reply, start, user } from "../../../test/support/session-records/entries.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { StoredConversations } from "../../journal/conversations.ts";
import { Journal } from "../../journal/journal.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { openRecorder } from "./recorder.ts";

it("warns once when the journal cannot be written, and writes the entries when it can", async () => {
  await using folder = temporaryFolder();
  writeFileSync(join(folder.path, "later"), "A file where the folder should be.");
  const journal = new Journal({ file: join(folder.path, "later", "journal.sqlite"), session: "a" });
  const conversations = new StoredConversations(journal);
  const warnings: string[] = [];
  const recorder = openRecorder(conversations, "a", (message) => warnings.push(message));
  recorder.add(start, user(1, "one"));
  recorder.add(reply("two"));
  expect(warnings).toEqual([
    expect.stringMatching(/^The session cannot be saved right now: The journal .* cannot be used: /),
  ]);
  rmSync(join(folder.path, "later"));
  recorder.add(user(2, "three"));
  const kept = conversations.entries("a").map(({ entry }) => entry);
  expect([kept, warnings.length]).toEqual([[start, user(1, "one"), reply("two"), user(2, "three")], 1]);
  journal.close();
});

it("records nothing of a session without input", async () => {
  await using folder = temporaryFolder();
  const journal = new Journal({ file: join(folder.path, "journal.sqlite"), session: "a" });
  const conversations = new StoredConversations(journal);
  const recorder = openRecorder(conversations, "a", () => {});
  recorder.add(start);
  recorder.add({ kind: "change", reasoning: "high" });
  expect(conversations.list()).toEqual([]);
  recorder.add(user(1, "one"));
  const kept = conversations.entries("a").map(({ entry }) => entry);
  expect(kept).toEqual([start, { kind: "change", reasoning: "high" }, user(1, "one")]);
  journal.close();
});

it("warns when earlier entries are missing", async () => {
  await using folder = temporaryFolder();
  const journal = new Journal({ file: join(folder.path, "journal.sqlite"), session: "a" });
  const conversations = new StoredConversations(journal);
  const warnings: string[] = [];
  const recorder = openRecorder(conversations, "a", (message) => warnings.push(message));
  recorder.add(start, user(1, "one"));
  conversations.remove("a");
  recorder.add(reply("two"));
  recorder.add(user(2, "three"));
  expect(warnings).toEqual([expect.stringContaining("cannot be resumed later")]);
  journal.close();
});

it("does not end a session when the disk is full", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  mkdirSync(join(folder.path, "workspace"));
  const program = fileURLToPath(
    new URL("../../../test/support/session-records/talk-on-full-disk.ts", import.meta.url),
  );
  // A limit on file sizes fails like a full disk, and needs no separate disk.
  const words = ["-c", `trap "" XFSZ; ulimit -f 512; exec "$0" "$@"`, process.execPath, program, folder.path];
  const { stdout, status } = spawnSync("bash", words, { encoding: "utf8" });
  const problem =
    /^The session cannot be saved right now: The journal .* cannot be used: (database or disk is full|disk I\/O error)$/;
  expect([status, JSON.parse(stdout)]).toEqual([0, [expect.stringMatching(problem)]]);
  const crib = await openToolcrib({
    workspace: join(folder.path, "workspace"),
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
  });
  expect(crib.conversations.entries("session_full").map(({ entry }) => entry)).toEqual([
    start,
    user(1, "hello"),
  ]);
  await crib.close();
});
