import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";

/** Fixed names and dates, so that plain git and git in a sandbox make the same commits. */
export const variables: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_AUTHOR_DATE: "2024-05-06T07:08:09Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_COMMITTER_DATE: "2024-05-06T07:08:09Z",
  // Fails instead of waiting for a terminal.
  EDITOR: "false",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  LC_ALL: "C",
  TZ: "UTC",
};

/** Makes the folder that `make` fills once, and returns a function that copies it to a new path. */
export function copyable(make: (folder: string) => void): {
  copyTo(path: string): void;
} & AsyncDisposable {
  const folder = temporaryFolder();
  const original = join(folder.path, "seed");
  mkdirSync(original);
  make(original);
  return {
    copyTo: (path) =>
      cpSync(original, path, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Runs a script of bash as the user would outside the sandbox, and stops at its first error. */
export function plainly(folder: string, script: string): string {
  return execFileSync("/bin/bash", ["--noprofile", "--norc", "-euc", script], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: "/nonexistent", ...variables },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 26,
  });
}

/**
 * Fills a folder with `repo`, a repository with a small history, `remote.git` and `sub.git`, which are bare, and `tools`,
 * programs that git starts. The remote is ahead by one commit and one branch.
 */
export function makeRepositories(folder: string): void {
  plainly(folder, script);
}

const script = `
umask 022
commit() {
  GIT_AUTHOR_DATE="2024-01-01T00:00:$1Z" GIT_COMMITTER_DATE="2024-01-01T00:00:$1Z" git commit -q -m "$2"
}
mkdir tools
tool() { cat > "tools/$1"; chmod 755 "tools/$1"; }
tool write <<'END'
#!/bin/sh
printf 'written by the editor\\n\\nwith a body\\n' > "$1"
END
tool rename <<'END'
#!/bin/sh
printf 'saved by a rename\\n' > "$1.new" && mv "$1.new" "$1"
END
tool append <<'END'
#!/bin/sh
echo appended >> "$1"
END
tool fail <<'END'
#!/bin/sh
exit 3
END
tool uses-git <<'END'
#!/bin/sh
{ echo "on $(git rev-parse --abbrev-ref HEAD)"; echo; git diff --cached --name-only; } > "$1"
END
tool squash <<'END'
#!/bin/sh
sed -i '2,$s/^pick/squash/' "$1"
END
tool fixup <<'END'
#!/bin/sh
sed -i '2,$s/^pick/fixup/' "$1"
END
tool reverse <<'END'
#!/usr/bin/perl
@ARGV or die; open F, '<', $ARGV[0]; @l = grep { /^pick/ } <F>; open F, '>', $ARGV[0]; print F reverse @l;
END
tool drop-first <<'END'
#!/bin/sh
sed -i 1d "$1"
END
tool edit-first <<'END'
#!/bin/sh
sed -i '1s/^pick/edit/' "$1"
END
tool reword-all <<'END'
#!/bin/sh
sed -i 's/^pick/reword/' "$1"
END
tool exec-after-each <<'END'
#!/bin/sh
sed -i '/^pick/a exec git rev-parse HEAD^{tree} >> ../trees' "$1"
END
tool shout <<'END'
#!/bin/sh
tr a-z A-Z
END
tool whisper <<'END'
#!/bin/sh
tr A-Z a-z
END
tool store <<'END'
#!/bin/sh
mkdir -p ../store; cat > ../store/new.$$; name=$(sha256sum < ../store/new.$$ | cut -c1-64); mv ../store/new.$$ ../store/$name; echo "stored $name"
END
tool fetch-stored <<'END'
#!/bin/sh
read -r _ name; cat "../store/$name"
END
tool merge-both <<'END'
#!/bin/sh
# %O %A %B: keeps the lines of both.
cat "$3" >> "$2"
END
tool show-upper <<'END'
#!/bin/sh
tr a-z A-Z < "$1"
END
tool list-files <<'END'
#!/bin/sh
echo "compared $1"
END

git init -q --template= -b main repo
cd repo
mkdir -p .git/info .git/hooks src/c .github/workflows .vscode
git config user.name Ada; git config user.email ada@example.org
seq 10 > src/a.txt; seq 20 > src/b.txt; echo d > src/c/d.txt; echo '# Project' > README.md; ln -s ../README.md src/link
echo 'space' > 'with space.txt'; printf '#!/bin/sh\\necho ran\\n' > run.sh; chmod 755 run.sh
printf '*.log\\ndist/\\n' > .gitignore; printf '*.bin binary\\n' > .gitattributes
echo 'on: push' > .github/workflows/ci.yml; echo '{}' > .vscode/settings.json; echo 'KEY=' > .env.example; echo 'KEY=test' > .env.test
printf 'test:\\n\\t@echo tested > dist.log; echo tested\\n' > Makefile
git add -A; commit 01 'First'; git tag v1
for i in 2 3 4; do echo "line $i" >> src/a.txt; mkdir -p src/$i; echo $i > src/$i/file.txt; git add -A; commit 0$i "Change $i"; done
git tag -a -m 'Version 2' v2
git checkout -q -b topic HEAD~2
echo topic > src/t.txt; git add -A; commit 10 'Add t'; echo more >> src/t.txt; git add -A; commit 11 'Extend t'; sed -i 1d src/b.txt; git add -A; commit 12 'Shorten b'
git checkout -q -b conflict main~1
sed -i 's/^10$/ten/' src/b.txt; git add -A; commit 13 'Ten in words'; echo conflict > src/x.txt; git add -A; commit 14 'Add x'
git checkout -q -b workflow main~1
echo 'on: [push, pull_request]' > .github/workflows/ci.yml; echo 'on: release' > .github/workflows/new.yml; git add -A; commit 15 'Change workflows'
git checkout -q -b settings main
echo 'export A=1' > .envrc; mkdir .husky .devcontainer; echo 'npm test' > .husky/pre-commit; echo '{ "editor.tabSize": 2 }' > .vscode/settings.json
echo '{ "tasks": [] }' > .vscode/tasks.json; echo '{}' > .devcontainer/devcontainer.json; echo '{}' > .mcp.json
echo 'repos: []' > .pre-commit-config.yaml; echo 'stages: []' > .gitlab-ci.yml; git add -A; commit 16 'Add settings'
git checkout -q -b no-settings main
git rm -rq .github .vscode; commit 17 'Remove settings'
git checkout -q -b secret main
echo 'KEY=other' > .env.test; git add -A; commit 18 'Change the test variables'
git checkout -q main
sed -i 's/^10$/TEN/' src/b.txt; git add -A; commit 19 'Ten in capitals'
cd ..
git clone -q --template= --bare repo remote.git
git -C remote.git branch -q -D secret no-settings
git -C repo remote add origin ../remote.git
git clone -q --template= remote.git other
cd other
git config user.name Ada; git config user.email ada@example.org
echo ahead > ahead.txt; git add -A; commit 20 'Ahead'; git push -q origin main
git checkout -q -b fresh; echo fresh > fresh.txt; git add -A; commit 21 'Fresh'; git push -q origin fresh
git checkout -q main~1; git checkout -q -b feature; echo feature > feature.txt; git add -A; commit 22 'Feature'; git push -q origin feature
cd ..
rm -rf other
git -C repo fetch -q origin main~0:refs/remotes/origin/unused 2> /dev/null || true
git -C repo fetch -q origin feature:refs/remotes/origin/feature
git -C repo update-ref refs/remotes/origin/main main
git -C repo update-ref -d refs/remotes/origin/unused
git -C repo config branch.main.remote origin; git -C repo config branch.main.merge refs/heads/main
git init -q --template= -b main sub
cd sub; echo sub > sub.txt; git add -A; commit 30 'Sub'; echo more >> sub.txt; git add -A; commit 31 'More'; cd ..
git clone -q --template= --bare sub sub.git; rm -rf sub
git -C repo reflog expire --expire=all --all; rm -f repo/.git/FETCH_HEAD repo/.git/ORIG_HEAD
git -C repo repack -adq
`;
