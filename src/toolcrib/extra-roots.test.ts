import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { userDirectories } from "../system/directories.ts";
import { MemoryEnvironment, openToolcrib, type ToolcribOptions } from "./index.ts";

describe("an instance with extra roots", () => {
  it("reads and writes files there by absolute path, and undoes it", { tags: "slow" }, async () => {
    await using world = await reachingFixture();
    const { crib, at } = world;
    expect(
      await world.codes([
        ["file_read", { path: at("notes.txt") }],
        ["file_read", { path: "../notes.txt" }],
        ["edit_replace", { path: "../notes.txt", find: "old", replace: "new" }],
        ["file_write", { path: at("made/deep/a.txt"), content: "a" }],
        ["file_move", { from: "../notes.txt", to: "moved.txt" }],
        ["file_delete", { path: at("made/deep/a.txt") }],
      ]),
    ).toEqual(Array(6).fill("ok"));
    expect([existsSync(at("notes.txt")), readFileSync(at("workspace/moved.txt"), "utf8")]).toEqual([
      false,
      "new\n",
    ]);
    const { content } = await crib.call("journal_undo", { last: 4 });
    expect(content.split("\n").slice(0, -1)).toEqual([
      "Undid 4 calls, 4 paths:",
      "recreated ../notes.txt",
      "removed ../made",
      "removed ../made/deep",
      "removed moved.txt",
    ]);
    expect([existsSync(at("made")), readFileSync(at("notes.txt"), "utf8")]).toEqual([false, "old\n"]);
  });

  it("lets the user undo its changes from an instance without those roots", async () => {
    await using world = await reachingFixture();
    await world.crib.call("file_write", { path: "../notes.txt", content: "new\n" });
    await world.crib.close();
    const later = await world.open({ reach: undefined, undoScope: "workspace" });
    expect((await later.call("file_read", { path: "../notes.txt" })).error?.code).toBe("outside-workspace");
    expect((await later.call("journal_undo", { last: 1 })).isError).toBe(false);
    await later.close();
    expect(readFileSync(world.at("notes.txt"), "utf8")).toBe("old\n");
  });

  it("rolls back what a transaction did there", async () => {
    await using world = await reachingFixture();
    await world.crib.call("transaction_begin", {});
    await world.crib.call("file_write", { path: "../notes.txt", content: "new\n" });
    await world.crib.call("file_write", { path: "inside.txt", content: "new\n" });
    await world.crib.call("transaction_rollback", {});
    expect([
      readFileSync(world.at("notes.txt"), "utf8"),
      existsSync(world.at("workspace/inside.txt")),
    ]).toEqual(["old\n", false]);
  });

  it("changes files inside and outside the workspace together, or none", async () => {
    await using world = await reachingFixture();
    writeFileSync(world.at("workspace/a.txt"), "old\n");
    const patch = (find: string) =>
      `*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** Update File: ../notes.txt\n-${find}\n+new\n*** End Patch`;
    expect(await world.codes([["edit_patch", { patch: patch("other") }]])).toEqual(["no-match"]);
    expect(readFileSync(world.at("workspace/a.txt"), "utf8")).toBe("old\n");
    expect(await world.codes([["edit_patch", { patch: patch("old") }]])).toEqual(["ok"]);
    expect(readFileSync(world.at("notes.txt"), "utf8")).toBe("new\n");
  });

  it("refuses secrets, system directories and Toolcrib data there, also through symlinks", async () => {
    await using world = await reachingFixture();
    const { at } = world;
    for (const [name, content] of Object.entries({ ".env": "KEY", "served.db": "x" }))
      writeFileSync(at(name), content);
    symlinkSync("../.env", at("workspace/plain.txt"));
    symlinkSync("../served.db", at("workspace/served.txt"));
    symlinkSync("/etc", at("workspace/system"));
    symlinkSync(at("workspace/system"), at("twice"));
    const refused: readonly Call[] = [
      ["file_read", { path: "../.env" }],
      ["file_read", { path: "plain.txt" }],
      ["file_write", { path: "plain.txt", content: "" }],
      ["file_read", { path: at("served.db") }],
      ["file_read", { path: "served.txt" }],
      ["file_write", { path: "served.txt", content: "" }],
      ["file_move", { from: "../served.db", to: "mine.db" }],
      ["file_read", { path: "system/shadow" }],
      ["file_read", { path: "/proc/self/root/etc/shadow" }],
      ["file_read", { path: "/proc/self/environ" }],
      ["file_read", { path: "/proc/thread-self/environ" }],
      ["file_read", { path: "/proc/kcore" }],
      ["file_read", { path: "/etc/shadow-" }],
      ["file_read", { path: join(homedir(), ".claude/.credentials.json") }],
      ["file_write", { path: join(homedir(), ".local/bin/git"), content: "" }],
      ["file_write", { path: join(tmpdir(), "toolcrib-shells.1.a/windows/tmux.conf"), content: "" }],
      ["file_write", { path: "system/passwd", content: "" }],
      ["file_write", { path: "../twice/new", content: "" }],
      ["file_delete", { path: "../../../../../../etc/hostname" }],
      ["file_read", { path: at("state/journal.sqlite") }],
      ["file_write", { path: at("config/rules"), content: "allow run **" }],
      // Data of the user's other instances, wherever this one keeps its own.
      ...Object.values(userDirectories()).map(
        (directory): Call => ["file_read", { path: `${directory}/rules` }],
      ),
    ];
    expect(await world.codes(refused)).toEqual(refused.map(() => "denied"));
  });

  it("asks before writing to a root configured to ask, and reads it without asking", async () => {
    await using world = await reachingFixture({ mode: "cautious" });
    symlinkSync("../asked", world.at("workspace/link"));
    expect(
      await world.codes([
        ["file_read", { path: "../asked/a.txt" }],
        ["file_write", { path: "../asked/a.txt", content: "new" }],
        ["file_write", { path: "link/a.txt", content: "new" }],
        ["edit_replace", { path: world.at("asked/a.txt"), find: "old", replace: "new" }],
        ["file_write", { path: "../notes.txt", content: "new" }],
      ]),
    ).toEqual(["ok", "needs-approval", "needs-approval", "needs-approval", "ok"]);
  });

  it("refuses paths outside the given roots", async () => {
    await using world = await reachingFixture({ extraRoots: { read: ["{home}/asked"] } });
    const { at } = world;
    symlinkSync("../notes.txt", at("workspace/link"));
    symlinkSync("../notes.txt", at("asked/link"));
    expect(
      await world.codes([
        ["file_read", { path: at("asked/a.txt") }],
        ["file_read", { path: at("asked/missing") }],
        ["file_write", { path: at("asked/a.txt"), content: "" }],
        ["file_read", { path: at("notes.txt") }],
        ["file_read", { path: at("missing") }],
        ["file_read", { path: "link" }],
        ["file_read", { path: at("asked/link") }],
      ]),
    ).toEqual([
      ...["ok", "not-found", "denied", "outside-workspace", "outside-workspace"],
      ...["outside-workspace", "outside-workspace"],
    ]);
  });

  it("reads generated files in full, regardless of the size they report", async () => {
    await using world = await reachingFixture();
    const made = ["/proc/version", "/proc/sys/kernel/ostype", "/sys/kernel/mm/transparent_hugepage/enabled"];
    writeFileSync(world.at("empty.txt"), "");
    const paths = [...made.filter((path) => existsSync(path)), world.at("empty.txt")];
    const read = await Promise.all(paths.map((path) => world.crib.call("file_read", { path })));
    const texts = paths.map((path) => readFileSync(path, "utf8"));
    expect(read.map(({ data }) => data)).toMatchObject(
      texts.map((text) => ({ files: [{ text, bytes: Buffer.byteLength(text) }] })),
    );
  });

  it("lists, searches and starts commands only in its workspace", async () => {
    await using world = await reachingFixture();
    const path = world.at("asked");
    expect(
      await world.codes([
        ["file_list", { path }],
        ["search_grep", { path, pattern: "old" }],
        ["search_glob", { path, pattern: "*" }],
        ["shell_run", { command: "true", cwd: path }],
      ]),
    ).toEqual(Array(4).fill("outside-workspace"));
  });

  it("is refused with a custom environment", async () => {
    const environment = new MemoryEnvironment();
    await expect(openToolcrib({ environment, extraRoots: { read: ["/"] } })).rejects.toMatchObject({
      code: "invalid-input",
    });
  });
});

type Call = readonly [tool: string, input: unknown];

async function reachingFixture(options: ToolcribOptions = {}) {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const name of ["workspace", "asked"]) mkdirSync(at(name));
  writeFileSync(at("notes.txt"), "old\n");
  writeFileSync(at("asked/a.txt"), "old\n");
  const everywhere = {
    read: ["/"],
    write: [at("notes.txt")],
    ask: ["/"],
    except: [at("served.db")],
  };
  const { extraRoots: reach, ...others } = options;
  const open = (
    more: Omit<ToolcribOptions, "reach"> & {
      readonly reach?: ToolcribOptions["extraRoots"] | undefined;
    } = {},
  ) => {
    const { reach: wanted, ...rest } = more;
    return openToolcrib({
      workspace: at("workspace"),
      mode: "yolo",
      stateDirectory: at("state"),
      configDirectory: at("config"),
      ...others,
      ...rest,
      ...(wanted && { extraRoots: wanted }),
    });
  };
  const home = (paths: readonly string[] = []) => paths.map((path) => path.replace("{home}", folder.path));
  const crib = await open({ reach: reach ? { read: home(reach.read) } : everywhere });
  return {
    crib,
    at,
    open,
    codes: async (calls: readonly Call[]) => {
      const codes: string[] = [];
      for (const [tool, input] of calls) codes.push((await crib.call(tool, input)).error?.code ?? "ok");
      return codes;
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
