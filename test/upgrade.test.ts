import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { workspaceDirectory } from "../src/system/directories.ts";
import { type CliWorkspace, cliWorkspace } from "./support/cli-workspace.ts";

// Made by the first version: a session that changed notes.txt, then two calls. Times in it grow old.
const archive = join(import.meta.dirname, "fixtures/state-0.1/state.tar.gz");
const variables = { TOOLCRIB_JOURNAL_MAX_DAYS: "100000" };

/** A workspace with the files and the state of version 0.1. Returns the folder of the state. */
function unpack({ workspace, env }: CliWorkspace): string {
  const folder = workspaceDirectory(env.TOOLCRIB_HOME!, workspace);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  const project = join(folder, "project");
  cpSync(project, workspace, { recursive: true });
  rmSync(project, { recursive: true });
  return folder;
}

describe("the state of version 0.1", () => {
  it("shows its history and its sessions, and can be undone", async () => {
    await using cli = cliWorkspace(variables);
    unpack(cli);
    const log = await cli.run("log", "--json");
    const sessions = await cli.run("sessions", "--json");
    const verified = await cli.run("log", "verify");
    const undone = [await cli.run("undo"), await cli.run("undo"), await cli.run("undo")];
    expect({
      calls: [...log.stdout.matchAll(/"tool":"([^"]*)"/g)].map(([, tool]) => tool),
      session: sessions.stdout.includes("Change two to three in notes.txt"),
      exits: [verified, ...undone].map(({ exit }) => exit),
      notes: cli.read("notes.txt"),
    }).toEqual({
      calls: ["file.write", "edit.replace", "edit.replace", "file.read", "git.log", "git.status"],
      session: true,
      exits: [0, 0, 0, 0],
      notes: "one\ntwo\n",
    });
  });

  it("is left alone by a version that is too old for it, which says what to do", async () => {
    await using cli = cliWorkspace(variables);
    const file = join(unpack(cli), "journal.sqlite");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 1000");
    database.close();
    const { exit, stderr } = await cli.run("log");
    expect([exit, stderr]).toEqual([
      1,
      `The journal ${file} was written by a newer version of Toolcrib\nUpdate Toolcrib, or set TOOLCRIB_HOME to another folder.\n`,
    ]);
  });
});
