import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture, type SandboxFixture } from "../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { RepositoryWatch } from "./repository-watch.ts";

const levels = ["bwrap", "landlock"] as const;
const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };

const user = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", [...user, ...args], { cwd, encoding: "utf8", stdio: "pipe" });
}

/** A repository with one commit. */
function openRepository(level: (typeof levels)[number]): SandboxFixture {
  const fixture = openSandboxFixture(level);
  fixture.put("src/file", "text\n");
  git(fixture.workspace, "init", "-q");
  git(fixture.workspace, "add", ".");
  git(fixture.workspace, "commit", "-qm", "first");
  return fixture;
}

/** Shell functions for commands: `evil` sets what git runs at `git status`, `initial` makes a first commit. */
function prelude({ outside }: SandboxFixture): string {
  const run = `touch '${outside}/ran'; false`;
  return `g() { git ${user.join(" ")} "$@"; }
initial() { g init -q "$1"; g -C "$1" commit -qm x --allow-empty; }
evil() { printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "%s"\\n' "${run}" > "$1"; }
hook() { mkdir -p "$1"; printf '#!/bin/sh\\n%s\\n' "${run}" > "$1/$2"; chmod +x "$1/$2"; }
`;
}

/** Attacks that make the user's git run a program outside the sandbox, and what the user then does. */
const attacks: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["a nested repository in the index", ["initial sub; g add sub; evil sub/.git/config"], ["status"]],
  [
    "one in node_modules",
    ["initial node_modules/x; g add -f node_modules/x; evil node_modules/x/.git/config"],
    ["status"],
  ],
  [
    "settings that a later command changes",
    ["initial node_modules/x; g add -f node_modules/x", "evil node_modules/x/.git/config"],
    ["status"],
  ],
  [
    "a git directory of another name",
    ["initial sub; g add sub; mv sub/.git store; echo gitdir: ../store > sub/.git; evil store/config"],
    ["status"],
  ],
  [
    "a link to a git directory",
    ["initial sub; g add sub; mv sub/.git store; ln -s ../store sub/.git; evil store/config"],
    ["status"],
  ],
  [
    "a link that a later command fills",
    ["initial sub; g add sub; mv sub/.git store; ln -s ../store sub/.git", "evil store/config"],
    ["status"],
  ],
  [
    "a hook of a nested repository",
    [
      "initial sub; touch sub/f; g -C sub add f; g add sub; hook sub/.git/hooks post-index-change; touch -d yesterday sub/f",
    ],
    ["status"],
  ],
  ["a nested repository outside the index", ["initial src; evil src/.git/config"], ["-C", "src", "status"]],
  [
    "a directory that looks like a repository",
    [
      "g init -q --bare x; mv x/HEAD x/objects x/refs src; evil src/config; g config -f src/config core.worktree ..",
    ],
    ["-C", "src", "status"],
  ],
  [
    "a directory that names another one as its repository",
    [
      "mkdir -p src/x .cache/s/objects .cache/s/refs; evil .cache/s/config; g config -f .cache/s/config core.worktree ../../src; echo 'ref: refs/heads/main' > src/x/HEAD; echo ../../.cache/s > src/x/commondir",
    ],
    ["-C", "src/x", "status"],
  ],
  [
    "the repository of a submodule that is not initialised",
    [
      "g clone -q --bare . .git/modules/dep; hook .git/modules/dep/hooks post-checkout; printf '[submodule \"dep\"]\\n\\tpath = dep\\n\\turl = ./remote.git\\n' > .gitmodules; g update-index --add --cacheinfo 160000,$(g rev-parse HEAD),dep",
    ],
    ["submodule", "update", "--init"],
  ],
  [
    "a work tree with the settings of another",
    [
      "g worktree add -q tree; g init -q --bare x; cp -r .git/refs .git/objects x; evil x/config; echo ../../../x > .git/worktrees/tree/commondir",
    ],
    ["-C", "tree", "status"],
  ],
  [
    "settings of a new submodule",
    ["initial sub; g submodule add -q ./sub mod; evil .git/modules/mod/config"],
    ["status"],
  ],
  [
    "the hook of a repository to push to",
    ["hook remote.git/hooks post-update"],
    ["push", "-q", "./remote.git", "HEAD:refs/heads/x"],
  ],
];

/** With bubblewrap, commands cannot make them at all. */
const prevented = ["the repository of a submodule that is not initialised", "settings of a new submodule"];

describe.each(levels)("repositories that a command leaves in the workspace, with %s", (level) => {
  it.skipIf(missing[level]).each(attacks)(
    "do not run programs outside: %s",
    { tags: "slow" },
    async (name, commands, then) => {
      await using fixture = openRepository(level);
      git(fixture.workspace, "init", "-q", "--bare", "remote.git");
      const remarks: string[] = [];
      for (const command of commands) {
        const ran = await fixture.run(prelude(fixture) + command);
        remarks.push(...ran.remarks);
      }
      try {
        git(fixture.workspace, ...then);
      } catch {
        // A disabled repository may be incomplete.
      }
      expect([existsSync(join(fixture.outside, "ran")), remarks.join("\n")]).toEqual([
        false,
        level === "bwrap" && prevented.includes(name) ? "" : expect.stringContaining("settings run programs"),
      ]);
    },
  );

  it.skipIf(missing[level])(
    "do not run commands when the user continues a rebase",
    { tags: "slow" },
    async () => {
      await using fixture = openRepository(level);
      git(fixture.workspace, "commit", "-qm", "second", "--allow-empty");
      const evil = `touch '${fixture.outside}/ran'`;
      fixture.put("editor", `sed -i 1ibreak "$1"; printf ' x\\t%s\\nexec %s\\n' "${evil}" "${evil}" >> "$1"`);
      const { remarks } = await fixture.run(
        "GIT_SEQUENCE_EDITOR='sh ./editor' git rebase -q -i --keep-empty HEAD~1 2>&1",
      );
      git(fixture.workspace, "rebase", "--continue");
      expect([existsSync(join(fixture.outside, "ran")), remarks]).toEqual([
        false,
        [expect.stringContaining("The command left a rebase that would run commands")],
      ]);
    },
  );

  it.skipIf(missing[level])(
    "stay as they are when git and common tools made them",
    { tags: "slow" },
    async () => {
      await using fixture = openRepository(level);
      const { stderr, remarks } = await fixture.run(`${prelude(fixture)}
initial sub && g clone -q --recurse-submodules ./sub vendor/copy && g -C vendor/copy checkout -qb branch &&
g worktree add -q tree && g init -q --bare fixtures/remote.git &&
g -C vendor/copy config user.name me && g -C vendor/copy push -q ../../fixtures/remote.git branch && g add vendor`);
      expect([stderr.replace(/^(?:hint|warning):.*\n/gm, ""), remarks]).toEqual(["", []]);
      expect(git(fixture.workspace, "status", "--short")).toContain("A  vendor/copy\n");
    },
  );

  it.skipIf(missing[level])(
    "are the user's when they existed before, which a new gitlink reports",
    { tags: "slow" },
    async () => {
      await using fixture = openRepository(level);
      const sub = join(fixture.workspace, "sub");
      git(fixture.workspace, "init", "-q", "sub");
      git(sub, "commit", "-qm", "x", "--allow-empty");
      git(sub, "config", "core.hooksPath", ".husky/_");
      const config = readFileSync(join(sub, ".git/config"), "utf8");
      const quiet = await fixture.run("touch sub/file");
      const { remarks } = await fixture.run("git add -A 2>/dev/null");
      expect([quiet.remarks, remarks, readFileSync(join(sub, ".git/config"), "utf8")]).toEqual([
        [],
        [
          "The command added the repository sub to the git index. `git status` now also obeys its settings, which run programs (core.hookspath). Tell the user; to remove it from the index: git rm --cached sub",
        ],
        config,
      ]);
    },
  );
});

describe.skipIf(process.platform !== "linux")("after a crash", () => {
  it("the next process disables what a command left", async () => {
    await using folder = temporaryFolder();
    const [workspace, records] = [join(folder.path, "work"), join(folder.path, "records")];
    mkdirSync(workspace);
    const watch = new RepositoryWatch({ workspace, folder: records });
    watch.begin({ repositories: [], bare: [] });
    git(workspace, "init", "-q", "sub");
    git(join(workspace, "sub"), "config", "core.fsmonitor", "evil");
    expect(await watch.settleAbandoned()).toEqual([]);
    const [name = ""] = readdirSync(records);
    // The name of a process before the last boot.
    renameSync(join(records, name), join(records, "1-1-other-1.abc"));
    writeFileSync(join(records, "1-1-other-1.half"), "{");
    expect(await watch.settleAbandoned()).toEqual([
      "After a crash: The command left a git repository whose settings run programs: sub/.git (core.fsmonitor). They were disabled by renaming them: sub/.git/config.disabled, sub/.git/hooks.disabled. Tell the user.",
    ]);
    expect([readdirSync(records), existsSync(join(workspace, "sub/.git/config"))]).toEqual([[], false]);
  });
});
