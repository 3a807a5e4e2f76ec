/** @module-tag slow */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { started, written } from "../../../../test/support/confined-git/attacks.ts";
import { openWatchedRepository } from "../../../../test/support/confined-git/polling-editor.ts";
import { missingHere } from "../../../../test/support/sandbox-fixture.ts";

const missing = await missingHere("bwrap");

/** Ordinary work after which planted hooks and settings would have run. */
const work = `set +e; touch -d yesterday src/file; git status; git checkout -q -b later; git commit -q --allow-empty -m later; git diff HEAD~1`;

it.skipIf(missing !== undefined)("what git starts cannot plant anything in .git", async () => {
  await using repository = openWatchedRepository(`
    git clone -q --bare . sub.git; git -c protocol.file.allow=always submodule --quiet add ./sub.git sub
    git commit -qm sub; for i in 1 2 3; do echo $i >> src/file; git commit -qam $i; done
    git checkout -q -b side HEAD~1; echo other > src/file; git commit -qam other; git checkout -q main`);
  const { fixture } = repository;
  const { workspace } = fixture;
  const git = join(workspace, ".git");
  const before = readFileSync(join(git, "config"), "utf8");
  // Paths without spaces: /tmp is private.
  const evil = `#!/bin/bash
TOP='${workspace}'
cat "$TOP/name" >> "$TOP/started"
printf '[core]\\n\\tfsmonitor = "touch %s/ran; false"\\n' '${fixture.outside}' | tee -a "$TOP/.git/config" > "$TOP/.git/config.worktree"
mkdir -p "$TOP/.git/hooks"; for name in post-index-change post-checkout post-commit; do cp /tmp/payload "$TOP/.git/hooks/$name"; done
cp /tmp/payload /tmp/config.new; mv /tmp/config.new "$TOP/.git/config"
mv "$TOP/.git/hooks" "$TOP/.git/old"; mkdir "$TOP/.git/hooks"; cp /tmp/payload "$TOP/.git/hooks/post-checkout"
exit 0`;
  const lines = Object.entries(started).map(
    ([name, line]) =>
      `echo '${name}' > name; (${line.replaceAll("EVIL", "/tmp/evil")}) < /dev/null > /dev/null 2>&1; git reset -q --hard main 2> /dev/null`,
  );
  await repository.run(
    `cat > /tmp/evil <<'END'
${evil}
END
printf '#!/bin/sh\\n%s\\n' "$PAYLOAD" > /tmp/payload; chmod 755 /tmp/evil /tmp/payload
mkdir evil-hooks evil; for n in pre-commit post-commit; do cp /tmp/evil evil-hooks/$n; done
${lines.join("\n")}`,
    "confined",
  );
  repository.asUser(work);
  const programs = new Set(readFileSync(join(workspace, "started"), "utf8").trimEnd().split("\n"));
  expect({
    ran: repository.ranOutside(),
    config: readFileSync(join(git, "config"), "utf8"),
    hooks: readdirSync(join(git, "hooks")),
    planted: readdirSync(git).filter((name) => ["commondir", "old"].includes(name)),
  }).toEqual({ ran: [], config: before, hooks: [], planted: [] });
  // Git follows no link in the workspace to a program.
  expect(Object.keys(started).filter((name) => !programs.has(name))).toEqual(["another folder of git"]);
});

const targets = [
  "hooks/post-checkout",
  "hooks/post-index-change",
  "commondir",
  "config.worktree",
  "config.lock",
  "info/attributes",
  "modules/refs/config",
  "worktrees/refs/commondir",
];

it.skipIf(missing !== undefined)("git writes nothing in .git that options and variables name", async () => {
  await using repository = openWatchedRepository(`
    git checkout -q --orphan planted; git rm -rqf --cached .; rm -rf src; mkdir hooks
    printf '#!/bin/sh\\n%s\\n' "$PAYLOAD" > hooks/post-checkout; cp hooks/post-checkout hooks/post-index-change; chmod 755 hooks/*
    evil config; echo ../evil > commondir; git add hooks config commondir; git commit -qm planted
    git checkout -q -f main; rm -rf hooks config commondir
    git diff --binary main planted -- hooks commondir > patch-of-hooks`);
  const { fixture } = repository;
  const git = join(fixture.workspace, ".git");
  const before = readFileSync(join(git, "config"), "utf8");
  const lines = targets.flatMap((target) =>
    Object.values(written).map(
      (line) => `(${line.replaceAll("OUT", `.git/${target}`)}) < /dev/null > /dev/null 2>&1`,
    ),
  );
  await repository.run(
    `${lines.join("\n")}\ngit symbolic-ref HEAD refs/heads/main; git reset -q --hard main`,
    "confined",
  );
  repository.asUser(work);
  const names = (folder: string) => {
    try {
      return readdirSync(join(git, folder));
    } catch {
      return [];
    }
  };
  expect({
    ran: repository.ranOutside(),
    config: readFileSync(join(git, "config"), "utf8"),
    hooks: names("hooks"),
    info: names("info"),
    planted: names("").filter((name) => ["commondir", "config.worktree", "config.lock"].includes(name)),
  }).toEqual({ ran: [], config: before, hooks: [], info: ["exclude"], planted: [] });
});
