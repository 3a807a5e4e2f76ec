/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type CommandFixture,
  openAnotherFixture,
  openCommandFixture,
  treeOf,
} from "../../../test/support/journal-scan/command-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import type { ToolcribOptions } from "../../toolcrib/index.ts";

const canConfine =
  process.platform === "linux" &&
  ["bwrap", "perl"].every((program) => spawnSync(program, ["--version"]).status === 0);

/** Enough entries for a watch, in a folder that the comparisons skip. */
const filler = Object.fromEntries(
  Array.from({ length: 5000 }, (_, index) => [
    `filler/${index % 20}/a file with a rather long name, number ${index}`,
    "",
  ]),
);

const files = {
  ".gitignore": "node_modules\ntarget\n",
  ...{ "d/one": "one", "d/e/two": "two", "f/three": "three", "d/cache/four": "four" },
  ...{ "node_modules/a/b": "", "target/c/d": "", "target/old": "" },
  ...filler,
};

/** Has run enough commands to use a watch. */
async function openWatched(options: ToolcribOptions, workspace?: CommandFixture) {
  const fixture = await openLarge(options, workspace);
  for (let count = 0; count < 3; count += 1) await fixture.bash(`printf ${count} > count`);
  return fixture;
}

/** An instance in a new workspace, or in that of another fixture: creating one takes a second. */
async function openLarge(options: ToolcribOptions, workspace?: CommandFixture) {
  /** Whether each snapshot has reused what a watch has proved. */
  const reused: boolean[] = [];
  const wrapEnvironment: ToolcribOptions["wrapEnvironment"] = (local) =>
    overrideEnvironment(local, {
      snapshot: async (options) => {
        const snapshot = await local.snapshot!(options);
        reused.push(snapshot.shared !== undefined);
        return snapshot;
      },
    });
  const fixture =
    workspace === undefined
      ? await openCommandFixture(files, { git: true, ...options, wrapEnvironment })
      : await openAnotherFixture(workspace, { ...options, wrapEnvironment });
  return {
    ...fixture,
    /** Runs a command, and returns whether each of its snapshots has used the watch. */
    watchedBash: async (command: string) => {
      reused.length = 0;
      const call = await fixture.bash(command);
      return { call, reused: [...reused] };
    },
    tree: () => treeOf(fixture.workspace, { without: [".git", "filler", "node_modules", "target"] }),
  };
}

/** A process of another test that is just ending is a reason to scan everything. */
const patience = { timeout: 60_000, interval: 0 };

const behindOurBack = {
  "rename over": "printf new > ../t; mv ../t d/one",
  "hard link": "printf 2 >> ../two",
  "old size and time": "cp -p d/one ../t; printf NEW > d/one; touch -r ../t d/one",
  "swapped directories": "mv d/e t; mv f d/e; mv t f; printf 3 >> f/two",
  "a file that came and went": "ln f/two d/t; printf 4 >> d/t; rm d/t",
};

/** Commands that change f/three by a name that a snapshot does not cover. The numbers are those of renameat2. */
const byAnotherName = {
  "a link in node_modules": "ln f/three node_modules/y; printf evil > node_modules/y; rm node_modules/y",
  "a link deep in an ignored folder": "ln f/three target/c/y; printf evil > target/c/y; rm target/c/y",
  "a link in .git": "ln f/three .git/y; printf evil > .git/y; rm .git/y",
  "a link that is kept": "ln f/three node_modules/kept; printf evil > node_modules/kept",
  "a link in a new folder": "mkdir n; ln f/three n/y; printf evil > n/y; rm -r n",
  "a link in a new ignored folder":
    "mkdir -p target/n/m; ln f/three target/n/m/y; printf evil > target/n/m/y; rm -r target/n",
  "a link in a folder that was moved":
    "mkdir target/n; mv target/n node_modules/n; ln f/three node_modules/n/y; printf evil > node_modules/n/y; rm -r node_modules/n",
  "a link that another file replaced":
    "ln f/three target/y; printf evil > target/y; touch target/t; mv target/t target/y",
  "a link that replaced a file and was replaced":
    "ln f/three target/t; printf evil > target/t; mv target/t target/old; rm target/old; touch target/old",
  "a link that was exchanged with a file":
    "ln f/three target/t; printf evil > target/t; perl -e '($a, $b) = qw(target/t target/old); syscall((POSIX::uname())[4] eq q(x86_64) ? 316 : 276, -100, $a, -100, $b, 2) == 0 or die; BEGIN { require POSIX }'; rm target/old; mv target/t target/old",
  "a link that is gone while its file is open":
    "ln f/three target/z; exec 3> target/z; rm target/z; printf evil >&3",
};

/** In Landlock, the temporary folder may be on the mount of the workspace. */
const byAnotherNameInLandlock = {
  "a link in the temporary folder": 'ln f/three "$TMPDIR/y"; printf evil > "$TMPDIR/y"; rm "$TMPDIR/y"',
  "a link in .git": "ln f/three .git/y; printf evil > .git/y; rm .git/y",
  "a link in node_modules": byAnotherName["a link in node_modules"],
};

describe.skipIf(!canConfine)("a scan that uses a watch", () => {
  /** Each test restores what the next ones need. Ignored files stay. */
  let shared: Awaited<ReturnType<typeof openWatched>>;
  beforeAll(async () => {
    shared = await openWatched({ sandbox: "bwrap" });
  });
  afterAll(() => shared?.[Symbol.asyncDispose]());

  it("reads only what commands change", { tags: "slow" }, async () => {
    const fixture = shared;
    const commands = [
      "printf more >> d/one",
      "printf more >> node_modules/a/b",
      "sed -i s/o/0/ d/one",
      "rm d/one",
    ];
    for (const command of commands)
      await expect
        .poll(async () => [command, (await fixture.watchedBash(command)).reused], patience)
        .toEqual([command, [true, true]]);
  });

  it("undoes what a command changed by another name", { tags: "slow" }, async () => {
    const fixture = shared;
    for (const [name, script] of Object.entries(byAnotherName)) {
      const before = fixture.tree();
      const call = await fixture.bash(script);
      const after = readFileSync(join(fixture.workspace, "f/three"), "utf8");
      // In the sandbox, .git is another mount, to which nothing can be linked.
      expect([name, after]).toEqual([name, name.includes("git") ? "three" : "evil"]);
      await fixture.undo(call);
      expect([name, fixture.tree()]).toEqual([name, before]);
      // The next attack meets a watch in use.
      const next = async () => (await fixture.watchedBash("printf next > count")).reused.at(-1);
      await expect.poll(next, patience).toBe(true);
    }
  });

  it("sees what a process writes to a file that it has opened by a name that is gone", {
    tags: "slow",
  }, async () => {
    const fixture = shared;
    const { crib } = fixture;
    const link = "rm -f target/y; ln f/three target/y; exec 3> target/y; rm target/y; touch target/y";
    const waiting = "until test -e target/go; do sleep 0.05; done";
    const command = `${link}; echo ready; ${waiting}; printf evil >&3; sleep 600`;
    await crib.call("process.start", { command, name: "attack", ready: { line: "^ready$" } });
    await fixture.bash("printf while > count");
    const before = fixture.tree();
    fixture.beside("touch target/go; until grep -q evil f/three; do sleep 0.05; done");
    const call = await fixture.bash("printf command > f/three");
    await fixture.undo(call);
    expect(fixture.tree()).toEqual({ ...before, "f/three": 'file 644 "evil"' });
    await crib.call("process.stop", { name: "attack" });
    fixture.beside("printf three > f/three; rm target/y target/go");
    const again = async () => (await fixture.watchedBash("printf again > count")).reused;
    await expect.poll(again, patience).toEqual([true, true]);
  });

  it("records no deletion when another command begins under new ignore rules", { tags: "slow" }, async () => {
    const fixture = shared;
    const exists = (path: string) => vi.waitUntil(() => existsSync(join(fixture.workspace, path)), 60_000);
    const wait = (path: string) => `until test -e ${path}; do sleep 0.05; done`;
    // The first command has scanned the folder that the second one skips.
    const first = fixture.bash(
      `printf 'cache\\nnode_modules\\ntarget\\n' > .gitignore; touch d/first; ${wait("d/go")}`,
    );
    await exists("d/first");
    const second = fixture.bash(`touch d/second; ${wait("d/end")}`);
    await exists("d/second");
    fixture.beside("touch d/go");
    const call = await first;
    fixture.beside("touch d/end");
    await second;
    const before = fixture.tree();
    const undo = await fixture.undo(call);
    expect(undo.isError).toBe(false);
    // Everything that was created while the first command ran counts as its change.
    const { "d/first": _, "d/second": __, "d/go": ___, ...left } = before;
    expect(fixture.tree()).toEqual({ ...left, ".gitignore": 'file 644 "node_modules\\ntarget\\n"' });
    fixture.beside("rm d/end");
  });

  /** Whether each snapshot of the first two commands uses the watch. */
  const firstUses = [
    { knownBy: "a process", kind: "cli", expected: [false, true, true, true] },
    { knownBy: "git", kind: "cli", expected: [false, true, true, true] },
    { knownBy: "nothing", kind: "library", expected: [false, false, true, true] },
    { knownBy: "nothing", kind: "cli", expected: [false, false, false] },
  ] as const;
  it.each(firstUses)(
    "starts when it is useful: %o",
    { tags: "slow" },
    async ({ knownBy, kind, expected }) => {
      if (knownBy !== "git") shared.beside("mv .git/index ../index");
      const reused = async () => {
        await using state = temporaryFolder();
        const own = knownBy === "a process" ? {} : { stateDirectory: state.path };
        const options = { sandbox: "bwrap", client: { kind }, ...own } as const;
        await using fixture = await openLarge(options, shared);
        const first = await fixture.watchedBash("printf 1 > count");
        const second = await fixture.watchedBash("printf 2 > count");
        return [...first.reused, ...second.reused].slice(0, expected.length);
      };
      try {
        await expect.poll(reused, patience).toEqual(expected);
      } finally {
        if (knownBy !== "git") shared.beside("mv ../index .git/index");
      }
    },
  );

  it("hides secrets that appear between commands", async () => {
    const fixture = shared;
    const plant = {
      "d/e/.env": "printf TOP-SECRET > d/e/.env",
      "f/n/x/.env": "mkdir -p ../n/x; printf TOP-SECRET > ../n/x/.env; mv ../n f/n",
      "target/c/.env": "printf TOP-SECRET > target/c/.env",
    };
    const search = "grep -rhs TOP-SECRET d f target || printf nothing";
    for (const [path, script] of Object.entries(plant)) {
      fixture.beside(script);
      expect([path, (await fixture.bash(search)).content]).toEqual([path, "nothing"]);
    }
    fixture.beside("rm -r d/e/.env f/n target/c/.env");
  });

  it("undoes what a command in Landlock changed by another name", { tags: "slow" }, async ({ skip }) => {
    const opened = await openWatched({ sandbox: "landlock" }, shared).catch(() => undefined);
    if (opened === undefined) return skip("Landlock is not available");
    await using fixture = opened;
    for (const [name, script] of Object.entries(byAnotherNameInLandlock)) {
      const before = fixture.tree();
      const { call, reused } = await fixture.watchedBash(script);
      const after = readFileSync(join(fixture.workspace, "f/three"), "utf8");
      expect([name, after, reused]).toEqual([name, "evil", [false, false]]);
      await fixture.undo(call);
      expect([name, fixture.tree()]).toEqual([name, before]);
    }
  });

  // It leaves directories swapped, so it comes last.
  it("undoes confined commands exactly, whatever others change between them", { tags: "slow" }, async () => {
    const fixture = shared;
    fixture.beside("ln d/e/two ../two");
    await fixture.bash("printf linked > count");
    for (const [name, script] of Object.entries(behindOurBack)) {
      fixture.beside(script);
      const before = fixture.tree();
      const { call } = await fixture.watchedBash(
        "for file in $(find d f -type f); do printf more >> $file; done; rm count",
      );
      expect([name, call.isError]).toEqual([name, false]);
      const undo = await fixture.undo(call);
      expect([name, fixture.tree(), undo.isError]).toEqual([name, before, false]);
    }
  });
});
