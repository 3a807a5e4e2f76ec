import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "./index.ts";
import { WorkspaceJournal } from "./workspace-journal.ts";

const leaveSession = await bundledProgram(
  new URL("../../test/support/toolcrib/leave-session.ts", import.meta.url),
);

function openFolders() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const state = join(folder.path, "state");
  mkdirSync(workspace);
  return {
    workspace,
    state,
    open: () =>
      openToolcrib({
        workspace,
        stateDirectory: state,
        configDirectory: join(state, "config"),
        session: "session_a",
      }),
    leave: (how: string) =>
      spawn(process.execPath, [leaveSession, workspace, state, "session_a", how], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

it("rolls back a killed session's transaction, and can undo the rest of the session", {
  tags: "slow",
}, async () => {
  await using fixture = openFolders();
  await once(fixture.leave("killed"), "close");
  const crib = await fixture.open();
  const isThere = (name: string) => existsSync(join(fixture.workspace, name));
  expect([crib.recovered.map(({ outcome, paths }) => [outcome, paths]), isThere("half.txt")]).toEqual([
    [["taken back", ["half.txt"]]],
    false,
  ]);
  await crib.call("file.write", { path: "more.txt", content: "more\n" });
  await crib.close();
  const again = await fixture.open();
  const undone = await again.call("journal.undo", { last: 2 });
  expect([undone.isError, isThere("kept.txt"), isThere("more.txt")]).toEqual([false, false, false]);
  await again.close();
  const journal = new WorkspaceJournal({ state: fixture.state, workspace: fixture.workspace });
  expect(journal.sessions().map(({ session, state }) => [session, state])).toEqual([["session_a", "closed"]]);
  expect(
    journal
      .calls({ session: "session_a" })
      .map(({ tool }) => tool)
      .toReversed(),
  ).toEqual([
    "file.write",
    "transaction.begin",
    "file.write",
    "transaction.rollback",
    "file.write",
    "journal.undo",
  ]);
  journal.close();
});

it("gives a session to one of several claimants, and to the next when that one is killed", {
  tags: "slow",
}, async () => {
  await using fixture = openFolders();
  const wanting = Array.from({ length: 4 }, () => fixture.leave("waiting"));
  const outputs = await Promise.all(
    wanting.map(async (child) => String((await once(child.stdout, "data"))[0])),
  );
  expect(outputs.sort()).toEqual(["open", "unavailable", "unavailable", "unavailable"]);
  await expect(fixture.open()).rejects.toMatchObject({ code: "unavailable" });
  for (const child of wanting) child.kill("SIGKILL");
  await Promise.all(
    wanting.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, "exit")),
  );
  const crib = await fixture.open();
  expect(crib.session).toBe("session_a");
  await crib.close();
});

it.each(["", "a b", "a\n", "x".repeat(129), "../a"])("refuses %j as a session id", async (session) => {
  await using folder = temporaryFolder();
  await expect(
    openToolcrib({ workspace: folder.path, stateDirectory: join(folder.path, "state"), session }),
  ).rejects.toMatchObject({ code: "invalid-input" });
});
