import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { asOrdinaryUser } from "../../../test/support/as-ordinary-user.ts";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { snapshot } from "../../../test/support/environment/change-world.ts";
import {
  changingCalls,
  filesOf,
  newKeepWorld,
  openKeepFixture,
} from "../../../test/support/stages/keep-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testCallUndo } from "../../../test/undo/call-undo-tests.ts";
import { contentOf } from "../../environment/conformance/world.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { Journal } from "../../journal/journal.ts";
import { catalog } from "../../tools/catalog.ts";

const execute = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

describe("every tool that changes files", () => {
  it("is covered by this test", async () => {
    const tools = await Promise.all(Object.values(catalog).map((load) => load()));
    const changing = tools.filter(({ name, risk }) => {
      // Code tools may also run formatters and checkers.
      return risk === "write" || risk === "destructive" || (risk === "execute" && name.startsWith("code."));
    });
    const others = changing
      // Git's tools change git's own files, except for a switch of branches, which their own tests undo.
      .filter(({ name }) => !/^(journal|transaction|git)\./.test(name))
      .map(({ name }) => name);
    expect(new Set(changingCalls.map(([, tool]) => tool))).toEqual(new Set(others));
  });

  testCallUndo(async () => {
    const home = newKeepWorld(folder.path);
    const crib = await openKeepFixture(home);
    return { workspace: join(home, "workspace"), crib, [Symbol.asyncDispose]: () => crib.close() };
  });

  it("can be undone and redone in any environment", { tags: "slow" }, async () => {
    const home = newKeepWorld(folder.path);
    const environment = new MemoryEnvironment({ files: filesOf(join(home, "workspace")) });
    environment.link("data/link", "../a.txt");
    environment.link("dangling", "nowhere");
    const before = await contentOf(environment);
    const crib = await openKeepFixture(home, environment);
    for (const [name, tool, input] of changingCalls.filter(([, , fields]) => !("hard_links" in fields))) {
      // An edit by line needs to have seen the file as it is now.
      await crib.call("file.read", { path: "a.txt" });
      const { callId, error } = await crib.call(tool, input);
      const after = await contentOf(environment);
      await crib.call("journal.undo", { call: callId });
      expect([name, error, await contentOf(environment)]).toEqual([name, null, before]);
      await crib.call("journal.undo", { redo: true });
      expect([name, await contentOf(environment)]).toEqual([name, after]);
      await crib.call("journal.undo", {});
    }
    await crib.close();
  });

  it("leaves the state directory alone when a tool only reads", async () => {
    const home = newKeepWorld(folder.path);
    const crib = await openKeepFixture(home);
    for (const [tool, input] of [
      ["file.read", { path: "a.txt" }],
      ["search.grep", { pattern: "one" }],
      ["edit.preview", { edit: { path: "a.txt", find: "two", replace: "2" } } as never],
    ] as const)
      await crib.call(tool, input);
    const [name = ""] = readdirSync(join(home, "state", "workspaces"));
    expect(readdirSync(join(home, "state", "workspaces", name))).not.toContain("blobs");
    await crib.close();
  });
});

it("warns about what undo cannot restore, in the result and later", {
  tags: ["root", "slow"],
}, async () => {
  const home = newKeepWorld(folder.path);
  const lost = "write-only.log (no read permission)";
  const program = await bundledProgram(
    new URL("../../../test/support/stages/unreadable.ts", import.meta.url),
  );
  expect(await asOrdinaryUser(pathToFileURL(program), home)).toEqual({
    output: `Overwrote write-only.log: 11 bytes written, 3 before.\n[Undo will not restore: ${lost}.]`,
    recorded: [lost],
    undoFails: true,
  });
});

it("keeps what each process replaces when several write one file", {
  tags: "slow",
}, async () => {
  const home = newKeepWorld(folder.path);
  const before = snapshot(join(home, "workspace"));
  const rival = await bundledProgram(new URL("../../../test/support/stages/rival.ts", import.meta.url));
  const rivals = ["one", "two", "three"].map((name) => execute(process.execPath, [rival, home, name, "15"]));
  await Promise.all(rivals);
  const [name = ""] = readdirSync(join(home, "state", "workspaces"));
  const file = join(home, "state", "workspaces", name, "journal.sqlite");
  const journal = new Journal({ file, session: "session_test" });
  const changes = journal.changesOf(journal.calls({}).map(({ callId }) => callId));
  journal.close();
  // Each call has replaced the result of the previous one: nothing was lost in between.
  expect(changes.length).toBe(45);
  expect(changes.slice(1).map((change) => change.before)).toEqual(
    changes.slice(0, -1).map(({ after }) => after),
  );
  const crib = await openKeepFixture(home);
  await crib.call("journal.undo", { last: 45 });
  expect(snapshot(join(home, "workspace"))).toEqual(before);
  await crib.close();
});

it("changes nothing when there is no space to keep the replaced content", { tags: "slow" }, async () => {
  const home = newKeepWorld(folder.path);
  const workspace = join(home, "workspace");
  mkdirSync(join(workspace, "large"));
  for (const name of ["large.bin", "large/one.bin", "large/two.bin"])
    writeFileSync(join(workspace, name), `the only line${"x".repeat(2_000_000)}`);
  const before = snapshot(workspace);
  // A limit on file sizes fails like a full disk, and needs no separate disk.
  const program = await bundledProgram(new URL("../../../test/support/stages/full-disk.ts", import.meta.url));
  const child = spawnSync(
    "bash",
    ["-c", `trap "" XFSZ; ulimit -f 1000; exec "$0" "$@"`, process.execPath, program, home],
    { encoding: "utf8" },
  );
  const full = "unavailable";
  expect(JSON.parse(child.stdout || child.stderr)).toEqual([full, full, full, full, full, "ok"]);
  const { "fits.txt": fits, ...others } = snapshot(workspace);
  expect([fits?.endsWith(" small"), others]).toEqual([true, before]);
});
