import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { Confinement } from "../../../contract/confinement.ts";
import { Quarantine } from "../../../engine/sandbox/quarantine.ts";
import { recordFolders } from "../../restore-abandoned.ts";
import { Tripwire } from "./tripwire.ts";

/** A repository with editor settings, and a tripwire for it. */
function openWorld(base: string) {
  const [workspace, directory] = [join(base, "work"), join(base, "state")];
  mkdirSync(join(workspace, ".vscode"), { recursive: true });
  mkdirSync(directory, { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: workspace });
  mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
  writeFileSync(join(workspace, ".git/hooks/own"), "mine");
  writeFileSync(join(workspace, ".vscode/settings.json"), "{}\n");
  chmodSync(join(workspace, ".vscode/settings.json"), 0o640);
  symlinkSync("settings.json", join(workspace, ".vscode/link"));
  return { workspace, directory, at: (path: string) => join(workspace, path) };
}

function protecting(workspace: string): Confinement {
  return {
    isReadOnly: (path) => path === join(workspace, ".vscode"),
    absent: [{ path: join(workspace, ".mcp.json"), kind: "file" }],
  };
}

/** What was taken: its path in the workspace, and where it is now. */
function takenIn(workspace: string, directory: string) {
  const { quarantine } = recordFolders(directory);
  const taken = new Quarantine({ folder: quarantine, workspace }).list();
  return taken.map(({ path, at }) => ({ name: relative(workspace, path), at }));
}

describe.skipIf(process.platform !== "linux")("the tripwire", () => {
  it("reports nothing when no protected file was touched", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    writeFileSync(at("free"), "");
    writeFileSync(at(".git/index"), "");
    expect(await watch.end()).toEqual([]);
    const records = ["held", "repositories", "tripwire/runs"];
    expect(records.map((name) => readdirSync(join(directory, name)))).toEqual([[], [], []]);
  });

  it("restores the changes so far, and keeps watching", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    for (const settle of [() => watch.settle(false), () => watch.settle(false), watch.end]) {
      writeFileSync(at(".git/hooks/own"), "evil");
      expect([await settle(), readFileSync(at(".git/hooks/own"), "utf8")]).toEqual([
        [
          expect.stringContaining(".git/hooks/own (changed)"),
          "The user can see the command's versions: toolcrib quarantine list.",
        ],
        "mine",
      ]);
    }
  });

  it("restores files in a directory that was inaccessible at the start", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const before = [readdirSync(at(".git")), readFileSync(at(".git/config"), "utf8")];
    chmodSync(at(".git"), 0);
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    chmodSync(at(".git"), 0o755);
    writeFileSync(at(".git/config"), "evil");
    await watch.end();
    const mode = statSync(at(".git")).mode & 0o777;
    chmodSync(at(".git"), 0o755);
    expect([mode, readdirSync(at(".git")), readFileSync(at(".git/config"), "utf8")]).toEqual([0, ...before]);
  });

  it("does not let the workspace itself become a repository", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const watch = await new Tripwire({ workspace, directory }).begin({});
    for (const name of ["objects", "refs"]) mkdirSync(at(name));
    writeFileSync(at("HEAD"), "ref: refs/heads/main");
    expect([await watch.end(), existsSync(at("HEAD"))]).toEqual([
      [
        `The command turned ${workspace} itself into a repository, whose settings git would obey. HEAD was renamed to HEAD.renamed.`,
      ],
      false,
    ]);
  });

  it("restores changed, removed and created files exactly, and keeps the versions it found", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const config = readFileSync(at(".git/config"), "utf8");
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    writeFileSync(at(".vscode/settings.json"), "evil");
    chmodSync(at(".vscode/settings.json"), 0o777);
    rmSync(at(".vscode/link"));
    symlinkSync("/etc/passwd", at(".vscode/link"));
    writeFileSync(at(".vscode/tasks.json"), "evil task");
    writeFileSync(at(".mcp.json"), "evil server");
    rmSync(at(".git/config"));
    writeFileSync(at(".git/hooks/pre-commit"), "evil hook", { mode: 0o755 });
    const [heldBack, remark, ...others] = await watch.end();
    expect([heldBack, remark]).toEqual([
      expect.stringMatching(/: \.mcp\.json \(\w{6}\)\./),
      "The command changed protected files, which were restored: .git/config (removed), .git/hooks/pre-commit (made), .vscode/link (changed), .vscode/settings.json (changed), .vscode/tasks.json (made).",
    ]);
    expect(others).toEqual(["The user can see the command's versions: toolcrib quarantine list."]);
    const found = [".git/hooks/pre-commit", ".mcp.json", ".vscode/settings.json", ".vscode/tasks.json"];
    const taken = new Map(takenIn(workspace, directory).map(({ name, at: moved }) => [name, moved]));
    expect(found.map((path) => readFileSync(taken.get(path)!, "utf8"))).toEqual([
      ...["evil hook", "evil server", "evil", "evil task"],
    ]);
    expect(readFileSync(at(".vscode/settings.json"), "utf8")).toBe("{}\n");
    expect(lstatSync(at(".vscode/settings.json")).mode & 0o777).toBe(0o640);
    expect(readlinkSync(at(".vscode/link"))).toBe("settings.json");
    expect(readFileSync(at(".git/config"), "utf8")).toBe(config);
    expect(found.map((path) => existsSync(at(path)))).toEqual([false, false, true, false]);
    expect(readdirSync(at(".vscode")).sort()).toEqual(["link", "settings.json"]);
  });

  it("restores modes, and directories that were replaced by files", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const mode = lstatSync(at(".vscode")).mode;
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    chmodSync(at(".vscode"), 0o777);
    rmSync(at(".git/hooks"), { recursive: true });
    writeFileSync(at(".git/hooks"), "no directory");
    const samples = (await watch.end())[0];
    expect(samples).toContain(".git/hooks (changed), .git/hooks/");
    expect(samples).toContain(".vscode (changed).");
    expect(lstatSync(at(".vscode")).mode).toBe(mode);
    expect(readFileSync(at(".git/hooks/own"), "utf8")).toBe("mine");
  });

  it("restores a repository that was renamed and replaced", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const { ino } = lstatSync(at(".git"));
    const watch = await new Tripwire({ workspace, directory }).begin({});
    mkdirSync(at("deep/er"), { recursive: true });
    renameSync(at(".git"), at("deep/er/.g2"));
    mkdirSync(at(".git/hooks"), { recursive: true });
    writeFileSync(at(".git/hooks/pre-commit"), "evil");
    const [remark] = await watch.end();
    expect(remark).toBe("The command changed protected files, which were restored: .git (moved away).");
    expect(takenIn(workspace, directory).map(({ name }) => name)).toEqual([".git"]);
    expect([lstatSync(at(".git")).ino, existsSync(at(".git/hooks/pre-commit"))]).toEqual([ino, false]);
  });

  it("restores a repository from anywhere a command can move it", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const { ino } = lstatSync(at(".git"));
    const temporary = join(folder.path, "temporary");
    mkdirSync(temporary);
    for (const away of [join(temporary, "g"), at("node_modules/x/g")]) {
      const tripwire = new Tripwire({ workspace, directory, writable: [temporary] });
      const watch = await tripwire.begin({});
      mkdirSync(at("node_modules/x"), { recursive: true });
      renameSync(at(".git"), away);
      await watch.end();
      expect(lstatSync(at(".git")).ino).toBe(ino);
    }
  });

  it("removes new links to forbidden paths, but none that existed before", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const absent = [".github/workflows", ".own/workflows"].map((path) => ({
      path: at(path),
      kind: "directory" as const,
    }));
    symlinkSync("nowhere", at(".own"));
    const watch = await new Tripwire({ workspace, directory }).begin({ absent });
    mkdirSync(at("real/workflows"), { recursive: true });
    symlinkSync("real", at(".github"));
    const [remark] = await watch.end();
    expect(remark).toMatch(/^Held back, .*: \.github \(\w{6}\)\./);
    expect(readdirSync(workspace).sort()).toEqual([".git", ".own", ".vscode", "real"]);
  });

  it("never writes through a planted link", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const outside = join(folder.path, "outside");
    mkdirSync(outside);
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    for (const name of [".vscode", ".git"]) {
      rmSync(at(name), { recursive: true });
      symlinkSync(outside, at(name));
    }
    await watch.end();
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(at(".vscode")).sort()).toEqual(["link", "settings.json"]);
    expect(existsSync(at(".git/config"))).toBe(true);
  });

  it("checks everything, however many files a command creates", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const hooks = readdirSync(at(".git/hooks"));
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    for (let number = 0; number < 5200; number++) writeFileSync(at(`.git/hooks/a${number}`), "");
    writeFileSync(at(".mcp.json"), "evil server");
    writeFileSync(at(".vscode/tasks.json"), "evil task");
    const [, remark] = await watch.end();
    expect(remark).toMatch(/^The command changed protected files, which were restored: .* and 5181 more\.$/);
    expect(readdirSync(at(".git/hooks"))).toEqual(hooks);
    expect(readdirSync(at(".vscode")).sort()).toEqual(["link", "settings.json"]);
    expect(existsSync(at(".mcp.json"))).toBe(false);
  });

  it("leaves alone what it could not read before, and reports it", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    for (let number = 0; number < 5200; number++) writeFileSync(at(`.git/hooks/a${number}`), "");
    const hooks = readdirSync(at(".git/hooks"));
    const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
    writeFileSync(at(".mcp.json"), "evil server");
    const remarks = await watch.end();
    expect(remarks).toEqual([
      expect.stringMatching(/: \.mcp\.json \(\w{6}\)\./),
      "The workspace is too large to watch every protected file in it.",
    ]);
    expect(readdirSync(at(".git/hooks"))).toEqual(hooks);
  });

  const elsewhere = "/dev/shm";
  const hasOtherDisk = existsSync(elsewhere) && statSync(elsewhere).dev !== statSync(tmpdir()).dev;

  it.each([
    { where: "", otherDisk: undefined },
    ...(hasOtherDisk ? [{ where: " to another disk", otherDisk: elsewhere }] : []),
  ])("ignores modes, and moves away$where any kind of entry it finds", async ({ otherDisk }) => {
    await using folder = temporaryFolder();
    const world = openWorld(folder.path);
    const { workspace, at } = world;
    const other = otherDisk && mkdtempSync(join(otherDisk, "tripwire-"));
    const directory = other ?? world.directory;
    try {
      const watch = await new Tripwire({ workspace, directory }).begin(protecting(workspace));
      writeFileSync(at(".vscode/tasks.json"), "evil");
      mkdirSync(at(".git/hooks/closed/x"), { recursive: true });
      execFileSync("mkfifo", [at(".mcp.json")]);
      for (const path of [".git/hooks/closed/x", ".git/hooks/closed", ".git/hooks", ".git", ".vscode", "."])
        chmodSync(at(path), path === "." ? 0o555 : 0);
      const [heldBack, remark, kept, ...others] = await watch.end();
      expect(lstatSync(workspace).mode & 0o777).toBe(0o555);
      expect(lstatSync(at(".git")).mode & 0o777).toBe(0);
      for (const path of [".", ".git"]) chmodSync(at(path), 0o755);
      expect([heldBack, remark, kept, others]).toEqual([
        expect.stringMatching(/: \.mcp\.json \(\w{6}\)\./),
        "The command changed protected files, which were restored: .git/hooks (changed), .git/hooks/closed (made), .vscode (changed), .vscode/tasks.json (made).",
        "The user can see the command's versions: toolcrib quarantine list.",
        [],
      ]);
      const taken = takenIn(workspace, directory);
      expect(taken.map(({ name }) => name).sort()).toEqual([
        ".git/hooks/closed",
        ".mcp.json",
        ".vscode/tasks.json",
      ]);
      expect(taken.every((one) => existsSync(one.at))).toBe(true);
      expect(readdirSync(at(".vscode")).sort()).toEqual(["link", "settings.json"]);
      expect([existsSync(at(".git/hooks/closed")), existsSync(at(".mcp.json"))]).toEqual([false, false]);
    } finally {
      execFileSync("chmod", ["-R", "u+rwx", folder.path]);
      if (other !== undefined) rmSync(other, { recursive: true });
    }
  });

  it("shares the first recorded state between several commands, in any order of their ends", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    // As in two processes.
    const [one, other] = [new Tripwire({ workspace, directory }), new Tripwire({ workspace, directory })];
    const first = await one.begin(protecting(workspace));
    writeFileSync(at(".vscode/settings.json"), "evil");
    writeFileSync(at(".mcp.json"), "evil");
    const second = await other.begin(protecting(workspace));
    expect(await first.end()).toHaveLength(3);
    expect(readFileSync(at(".vscode/settings.json"), "utf8")).toBe("{}\n");
    expect(await second.end()).toEqual([]);
    expect([readFileSync(at(".vscode/settings.json"), "utf8"), existsSync(at(".mcp.json"))]).toEqual([
      "{}\n",
      false,
    ]);
  });

  it("deletes stored contents when it closes, but not while a command runs in another process", async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const [one, other] = [new Tripwire({ workspace, directory }), new Tripwire({ workspace, directory })];
    await (await one.begin(protecting(workspace))).end();
    const running = await other.begin(protecting(workspace));
    one.close();
    expect(existsSync(join(directory, "tripwire/contents"))).toBe(true);
    await running.end();
    other.close();
    expect(readdirSync(join(directory, "tripwire"))).toEqual(["runs"]);
    const again = await one.begin(protecting(workspace));
    rmSync(at(".vscode"), { recursive: true });
    await again.end();
    expect(readFileSync(at(".vscode/settings.json"), "utf8")).toBe("{}\n");
  });

  it("recovers from a crash at the next start", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    const { workspace, directory, at } = openWorld(folder.path);
    const crasher = fileURLToPath(
      new URL("../../../../test/support/landlock/crash-in-between.ts", import.meta.url),
    );
    const child = spawn(process.execPath, [crasher, workspace, directory], { stdio: "ignore" });
    await once(child, "exit");
    expect(readFileSync(at(".git/hooks/pre-commit"), "utf8")).toBe("evil");
    const watch = await new Tripwire({ workspace, directory }).begin({});
    expect(existsSync(at(".git/hooks/pre-commit"))).toBe(false);
    const remarks = await watch.end();
    expect(remarks[0]).toBe(
      "After a crash: The command changed protected files, which were restored: .git/hooks/pre-commit (made).",
    );
    expect([remarks[2], existsSync(at(".envrc"))]).toEqual([
      expect.stringMatching(/^Held back, .*: \.envrc \(\w{6}\)/),
      false,
    ]);
  });
});
