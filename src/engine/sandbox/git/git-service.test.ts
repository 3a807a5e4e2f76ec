import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  missingHere,
  openSandboxFixture,
  type SandboxFixture,
} from "../../../../test/support/sandbox-fixture.ts";

const missing = await missingHere("bwrap");

const user = "git config user.name Ada && git config user.email ada@example.org";

/** A repository with two commits, and `git` for the user outside. */
function openRepository(): SandboxFixture & { git(...args: readonly string[]): string } {
  const fixture = openSandboxFixture("bwrap");
  const line = `git init -q -b main && ${user} && git add . && git commit -qm first && git commit -qm second --allow-empty`;
  fixture.put("file", "text\n");
  execFileSync("/bin/sh", ["-c", line], { cwd: fixture.workspace });
  return Object.assign(fixture, {
    git: (...args: readonly string[]) =>
      execFileSync("git", args, { cwd: fixture.workspace, encoding: "utf8" }),
  });
}

describe.skipIf(missing !== undefined)("git in a sandbox", { tags: "slow" }, () => {
  it("changes remotes, upstreams and settings as in a plain shell", async () => {
    await using fixture = openRepository();
    const { code, stderr } = await fixture.run(`set -e
git init -q --bare remote.git; git remote add origin ./remote.git; git push -q -u origin main
git checkout -q -b topic origin/main; git branch -q -d main; git config user.name Bob
git worktree add -q tree; git worktree remove tree; git sparse-checkout set --cone; git sparse-checkout disable
git stash list; git tag v1; git notes add -m note; git gc -q; git fsck`);
    const settings = ["branch.topic.merge", "user.name", "remote.origin.url"];
    expect([code, stderr, ...settings.map((key) => fixture.git("config", key).trim())]).toEqual([
      ...[0, "", "refs/heads/main", "Bob", "./remote.git"],
    ]);
  });

  it("runs hooks and editors where the repository is closed", async () => {
    await using fixture = openRepository();
    fixture.put(
      "hooks/pre-commit",
      "#!/bin/sh\necho > .git/evil\ngit add added && git config core.pager evil\n:",
    );
    fixture.put("hooks/commit-msg", '#!/bin/sh\necho "Signed: hook" >> "$1"\n');
    fixture.put("added", "by a hook");
    const { code, stderr } = await fixture.run(`chmod 755 hooks/*; echo more >> file
GIT_EDITOR='sed -i 1s/^/edited/' git -c core.hooksPath=hooks commit -a`);
    expect([code, stderr.match(/Read-only file system|core\.pager was not changed/g)]).toEqual([
      0,
      ["Read-only file system", "core.pager was not changed"],
    ]);
    expect([fixture.git("log", "-1", "--format=%B").trim(), fixture.git("ls-files", "added")]).toEqual([
      "edited\nSigned: hook",
      "added\n",
    ]);
  });

  it("runs the lines of a rebase, and keeps its exit status", async () => {
    await using fixture = openRepository();
    const { stdout, code } = await fixture.run(
      "git rebase -q --keep-empty --exec 'git rev-parse --git-dir; exit 3' HEAD~1; echo $?; git rebase --abort",
    );
    expect([stdout, code]).toEqual([".git\n1\n", 0]);
  });

  it("names the setting that it refuses, and changes none", async () => {
    await using fixture = openRepository();
    const before = readFileSync(join(fixture.workspace, ".git/config"), "utf8");
    const refused = [
      ...["core.hooksPath .husky", "core.fsmonitor ./evil", "include.path ../evil", "alias.st '!evil'"],
      ...["filter.x.clean evil", "core.sshCommand evil", "remote.x.url ext::evil", "core.worktree /"],
      ...["remote.x.uploadpack evil", "diff.x.textconv evil", "credential.helper evil", "url.x.insteadOf y"],
    ];
    const { stderr } = await fixture.run(refused.map((setting) => `git config ${setting}`).join("\n"));
    const named = Array.from(stderr.matchAll(/the setting (\S+) was not changed/g), ([, key]) => key);
    expect(named).toEqual(refused.map((setting) => setting.split(" ")[0]!.toLowerCase()));
    expect(readFileSync(join(fixture.workspace, ".git/config"), "utf8")).toBe(before);
  });

  it("leaves no lock when it is ended", async () => {
    await using fixture = openRepository();
    const { stdout } = await fixture.run(
      "echo x >> file; GIT_EDITOR='sleep 60 #' timeout 1 git commit -a; sleep 0.3; ls .git | grep lock",
    );
    expect(stdout).toBe("");
  });

  it("serves the next command when one has sent half of a message", async () => {
    await using fixture = openRepository();
    fixture.put("a", "a");
    const half = `perl -e 'socket(S, 1, 1, 0); connect(S, pack("S a*", 1, "/run/toolcrib/socket")) or die; syswrite S, "\\0\\0"; sleep 60' > /dev/null 2>&1 &`;
    const stuck = await fixture.run(`${half} sleep 0.3; timeout 1 git add a; echo $?`);
    const next = await fixture.run("git add a && git commit -qm a");
    expect([stuck.stdout, next.code, next.stderr]).toEqual(["124\n", 0, ""]);
  });

  it("changes only files that git does not obey, whatever the service is asked", async () => {
    await using fixture = openRepository();
    fixture.git("checkout", "-q", "--orphan", "planted");
    for (const name of obeyed) fixture.put(`planted/${name}`, "evil");
    fixture.put("planted/HEAD", "evil");
    fixture.git("-c", "core.safecrlf=false", "--work-tree=planted", "add", "-A");
    fixture.git("commit", "-qm", "planted");
    fixture.git("checkout", "-qf", "main");
    const state = () => obeyed.map((name) => contentOf(join(fixture.workspace, ".git", name)));
    const before = [...state(), readdirSync(join(fixture.workspace, ".git/hooks"))];
    const lines = obeyed.flatMap((name) =>
      [
        ...[
          `diff --output=OUT HEAD~1`,
          "log -1 --output=OUT",
          "archive -o OUT HEAD",
          "bundle create OUT HEAD",
        ],
        ...["config -f OUT core.fsmonitor evil", "read-tree --index-output=OUT HEAD", "mv -f file OUT"],
        ...["fast-export --export-marks=OUT HEAD", "worktree add -f OUT", "clone -q . OUT", "init -q OUT"],
        ...[
          "format-patch -q -o OUT HEAD~1",
          "credential-store --file=OUT store",
          "update-ref refs/../OUT HEAD",
        ],
      ].map((line) => line.replaceAll("OUT", `.git/${name}`)),
    );
    const moved = [
      ...["--work-tree=.git checkout -f planted -- objects logs", "--work-tree=.git mv logs/x worktrees/x"],
      ...["--work-tree=.git mv objects/aa modules/y", "--work-tree=.git mv logs/x modules/y"],
    ];
    const others = [
      ...["--work-tree=.git checkout -f planted -- .", "--work-tree=.git reset -q --hard planted"],
      ...["checkout-index -f -a --prefix=.git/", "-c core.worktree=$PWD/.git checkout -f planted -- ."],
    ];
    // The shim would run commands that only read itself.
    const forged = `sed '/needs_service(@words);/d' /usr/bin/git > forged.pl; ln -s .git link
forged() { perl forged.pl "$@" < /dev/null > /dev/null 2>&1; }
forged read-tree planted; ${[...others, ...moved].map((line) => `forged ${line}`).join("; ")}; forged read-tree HEAD
${lines.map((line) => `forged ${line}; forged ${line.replace(".git/", "link/")}`).join("\n")}`;
    await fixture.run(forged);
    expect([...state(), readdirSync(join(fixture.workspace, ".git/hooks"))]).toEqual(before);
  }, 120_000);

  it("commits by itself where perl is missing", async () => {
    await using opened = openSandboxFixture("bwrap", { perl: undefined });
    execFileSync("/bin/sh", ["-c", `git init -q && ${user}`], { cwd: opened.workspace });
    const { code } = await opened.run("echo x > f; git add f; git commit -qm first");
    expect(code).toBe(0);
  });
});

const obeyed = [
  ...["config", "config.worktree", "commondir", "hooks/pre-commit", "info/attributes", "info/exclude"],
  ...[
    "objects/info/alternates",
    "modules/refs/config",
    "modules/x/hooks/post-checkout",
    "modules/x/commondir",
  ],
  ...["worktrees/x/config.worktree", "rebase-merge/strategy", "sequencer/opts", "gitweb.conf"],
  // Git directories among other files.
  ...[
    "objects/x/hooks/post-checkout",
    "objects/aa/HEAD",
    "objects/aa/commondir",
    "logs/x/HEAD",
    "logs/x/commondir",
  ],
  ...["refs/heads/x/HEAD", "refs/remotes/x/commondir"],
];

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
