/**
 * What users and agents do with git. `lines` run one after the other, each as a command of its own, in the folder `repo`
 * that `makeRepositories` fills. `given` is what the user did before.
 */
export type Sequence = readonly string[] | { readonly given: string; readonly lines: readonly string[] };

const hook = (name: string, body: string) =>
  `mkdir -p .git/hooks; printf '#!/bin/sh\\n%s\\n' ${quoted(body)} > .git/hooks/${name}; chmod 755 .git/hooks/${name}`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const local = "-c protocol.file.allow=always";
const editor = (name: string) => `GIT_EDITOR=../tools/${name}`;
const todo = (name: string) => `GIT_SEQUENCE_EDITOR=../tools/${name}`;
const resolveTen = "printf '10 and ten\\n' > src/b.txt; git add src/b.txt";
const withSubmodule = `git ${local} submodule add -q ../sub.git lib/sub; git commit -qm 'Add a submodule'`;

const reading: Record<string, Sequence> = {
  "status in all forms": ["git status; git status -sb; git status --porcelain=v2 -z | tr '\\0' '\\n'"],
  "log, show and blame": [
    "git log --oneline --graph --all; git show --stat v2; git blame src/a.txt | head -3",
  ],
  "diff between branches": [
    "git diff --stat main topic; git diff main...conflict; git range-diff main~2..main~1 main~1..main | head -3",
  ],
  "names and objects": [
    "git rev-parse HEAD main~1 v2^{commit}; git cat-file -p HEAD; git ls-tree -r HEAD; git ls-files -s; git show-ref",
  ],
  "search in history": [
    "git grep -n TEN; git log -S TEN --format=%s; git shortlog -sn HEAD; git describe --tags --long",
  ],
  "status after edits": [
    "echo x >> src/a.txt; touch new; rm src/c/d.txt; git status --short; git diff --stat; git diff --name-status",
  ],
  "status in a subfolder": [
    "cd src && git status --short . && git log --oneline -2 -- a.txt && git rev-parse --show-prefix --show-toplevel",
  ],
  "ignored files": [
    "mkdir dist; touch dist/x y.log; git status --short --ignored; git check-ignore -v y.log dist/x; git ls-files -o -i --exclude-standard",
  ],
  "aliases of the command line": [
    "git -c alias.st='status -s' st; git -c alias.x='!echo from the shell; git status -s' x",
  ],
  "a pager that is a program": ["git -c core.pager='sed s/^/page:/' -p log --oneline -2"],
};

const committing: Record<string, Sequence> = {
  "add and commit": [
    "echo n > n.txt && git add n.txt && git commit -m 'Add n'",
    "git log --oneline -2; git status --short",
  ],
  "commit all": [
    "sed -i 1d src/a.txt; rm src/c/d.txt; git commit -qam 'Change and delete'; git show --stat --format=%s",
  ],
  "commit with an editor": [`echo n > n; git add n; ${editor("write")} git commit`, "git log -1 --format=%B"],
  "commit with an editor that renames": [
    `echo n > n; git add n; ${editor("rename")} git commit -v`,
    "git log -1 --format=%B",
  ],
  "commit with an editor that uses git": [
    `echo n > n; git add n; ${editor("uses-git")} git commit`,
    "git log -1 --format=%B",
  ],
  "commit with an editor that fails": [
    `echo n > n; git add n; ${editor("fail")} git commit; echo $?`,
    "git status --short",
  ],
  amend: ["echo more >> src/a.txt; git commit -q --amend -a --no-edit; git show --stat --format='%s %h'"],
  "amend with an editor": [`${editor("append")} git commit --amend -q; git log -1 --format=%B`],
  "reword by -m": ["git commit --amend -m 'Other words'; git reflog -2"],
  "empty commit and one with a file": [
    "git commit -q --allow-empty -m empty; echo 'from a file' > ../message; git commit -q --allow-empty -F ../message; git log --oneline -2",
  ],
  "fixup and squash commits": [
    "echo f >> src/a.txt; git commit -qa --fixup HEAD~1; echo g >> src/b.txt; git commit -qa --squash HEAD~1 -m s; git log --format=%s -3",
  ],
  "add in parts": [
    "sed -i '1s/^/x/;$s/$/x/' src/b.txt; printf 'y\\nn\\n' | git add -p src/b.txt > /dev/null; git diff --cached --stat; git diff --stat",
  ],
  "intent to add": [
    "echo n > n; git add -N n; git status --short; git diff; git commit -qam n; git ls-files n",
  ],
  "executable bits": [
    "chmod 644 run.sh; git add -A; git commit -qm mode; git update-index --chmod=+x run.sh; git status --short; git ls-files -s run.sh",
  ],
  "names of all kinds": [
    "mkdir 'ü ö'; touch 'ü ö/a b' \"it's\" $'tab\\there' -- -dash; git add -A; git commit -qm names; git ls-files | tail -5; git -c core.quotePath=false status --short",
  ],
  links: [
    "rm src/link; ln -s a.txt src/link; ln -s nowhere dangling; git add -A; git commit -qm links; git ls-files -s | grep ^12",
  ],
  "a file becomes a directory": [
    "rm README.md; mkdir README.md; echo x > README.md/x; git add -A; git commit -qm turn; git checkout -q HEAD~1; cat README.md; git checkout -q main; ls README.md",
  ],
  "move and remove": [
    "git mv src/a.txt src/moved.txt; git mv src/c lib; git rm -q src/b.txt; git commit -qm moves; git show --stat -M --format=; git ls-files src lib",
  ],
  "remove from the index only": [
    "git rm -q --cached src/a.txt; git status --short; git commit -qm gone; ls src/a.txt",
  ],
  "commit of a subfolder": [
    "cd src/c && echo z > z && git add . && git commit -qm z -- . && git log -1 --stat --format=%s",
  ],
  "trailers and sign-off": [
    "echo 1 > 1; git add 1; git commit -q -s -m One --trailer 'Reviewed-by: Bob <b@example.org>'; git log -1 --format=%B",
  ],
  "commit with a template": [
    "echo 'Template' > ../template; echo t > t; git add t; " +
      editor("append") +
      " git -c commit.template=../template commit -q; git log -1 --format=%B",
  ],
};

const branches: Record<string, Sequence> = {
  "create, switch and delete": [
    "git checkout -b one; git switch -c two; git switch main; git branch -d one two; git branch -a",
  ],
  "delete a merged branch with settings": [
    "git checkout -q -b one origin/feature; git checkout -q main; git merge -q --no-edit one; git branch -d one",
  ],
  "delete an unmerged branch": ["git branch -d topic; git branch -D topic; git branch --list"],
  "rename a branch": [
    "git branch -m topic renamed; git branch -m main trunk; git status -sb; git branch --list",
  ],
  "copy a branch": [
    "git branch -c topic copied; git branch --list --format='%(refname:short) %(objectname:short)'",
  ],
  "track a remote branch": ["git checkout -b feature origin/feature; git status -sb; cat feature.txt"],
  "track a remote branch by its name": ["git checkout feature; git status -sb; git checkout -"],
  "switch and create with tracking": [
    "git switch -c mine --track origin/feature; git branch -vv --list mine",
  ],
  "set and unset the upstream": [
    "git branch -u origin/feature topic; git branch -vv --list topic; git branch --unset-upstream topic",
  ],
  "describe a branch": [
    `${editor("write")} git branch --edit-description topic; git config branch.topic.description`,
  ],
  "checkout with changes": [
    "echo dirty >> README.md; git checkout topic; git status --short; git checkout main",
  ],
  "checkout that is refused": [
    "echo dirty >> src/b.txt; git checkout conflict; echo $?; git status --short; git checkout -f conflict; git status -sb",
  ],
  "checkout of files": [
    "echo x > src/a.txt; git checkout -- src/a.txt; git checkout v1 -- src/a.txt; git status --short; git restore --staged --worktree src/a.txt; git status --short",
  ],
  "detach and come back": [
    "git checkout -q HEAD~2; git status | head -1; git checkout -q -; git switch --detach -q v1; git commit -q --allow-empty -m d; git switch -q main",
  ],
  "orphan branch": [
    "git checkout -q --orphan alone; git rm -rfq .; echo 1 > only; git add only; git commit -qm only; git log --oneline; git checkout -q main; ls",
  ],
  "branch over a folder name": [
    "git branch a/b; git branch a; echo $?; git branch -D a/b; git branch a; git branch --list 'a*'",
  ],
  "back and forth through history": [
    "for c in $(git rev-list HEAD); do git checkout -q $c; done; git checkout -q main; git status -sb; git reflog | wc -l",
  ],
  "checkout -m": ["echo tail >> src/a.txt; git checkout -m v2; git status --short; git diff --stat"],
  "symbolic refs": [
    "git symbolic-ref refs/heads/alias refs/heads/topic; git rev-parse alias topic; git symbolic-ref -d refs/heads/alias; git symbolic-ref HEAD",
  ],
};

const merging: Record<string, Sequence> = {
  merge: ["git merge --no-edit topic; git log --oneline --graph -6"],
  "merge with an editor": [`${editor("write")} git merge --no-ff topic; git log -1 --format=%B`],
  "fast forward": ["git checkout -q topic~2; git merge --ff-only topic; git log -1 --format=%s"],
  "squash merge": ["git merge --squash topic; git commit -qm squashed; git log -1 --stat --format=%s"],
  "merge that conflicts, and is resolved": [
    "git merge conflict",
    "git status --short; cat src/b.txt",
    `${resolveTen}; git commit --no-edit`,
    "git log -1 --format='%s %p'",
  ],
  "merge that conflicts, and is aborted": [
    "git merge conflict; git status | head -4",
    "git merge --abort; git status --short",
  ],
  "merge with a chosen side": [
    "git merge -q -X ours --no-edit conflict; sed -n 10p src/b.txt; git reset -q --hard HEAD~1; git merge -q -X theirs --no-edit conflict; sed -n 10p src/b.txt",
  ],
  "checkout of one side": [
    "git merge conflict",
    "git checkout --theirs src/b.txt; git add -A; git merge --continue; git status -sb",
    `${editor("append")} git merge --continue; git log -1 --format=%B`,
  ],
  "three heads at once": ["git merge --no-edit topic settings; git log -1 --format=%p; ls -A"],
  "merge driver": {
    given:
      "git config merge.both.driver '../tools/merge-both %O %A %B'; echo 'src/b.txt merge=both' >> .gitattributes; git commit -qam attributes",
    lines: ["git merge --no-edit conflict; cat src/b.txt; git status -sb"],
  },
  "merge tool": [
    "git merge conflict",
    'git -c mergetool.x.cmd=\'cat "$LOCAL" "$REMOTE" > "$MERGED"\' -c mergetool.x.trustExitCode=true -c mergetool.keepBackup=false mergetool -y --tool=x; git status --short; git commit --no-edit; git show --stat --format=%s',
  ],
  rerere: [
    "git config rerere.enabled true; git merge conflict; printf '10 and ten\\n' > src/b.txt; git add -A; git commit -qm one; git reset -q --hard HEAD~1; git merge conflict; cat src/b.txt; git rerere status",
  ],
  "merge-tree and merge-base": [
    "git merge-base main conflict; git merge-tree --write-tree main topic; git merge-tree --write-tree main conflict | tail -3",
  ],
  "merge of unrelated histories": [
    "git checkout -q --orphan alone; git rm -rfq .; echo 1 > only; git add only; git commit -qm only; git merge main; git merge -q --allow-unrelated-histories --no-edit main; git log --oneline -1",
  ],
};

const rebasing: Record<string, Sequence> = {
  rebase: ["git rebase main topic; git log --oneline -4"],
  "rebase with the apply backend": ["git rebase --apply main topic; git log --oneline -4"],
  "rebase onto": ["git rebase -q --onto v1 topic~1 topic; git log --oneline"],
  "rebase that conflicts, and continues": [
    "git rebase main conflict",
    "git status | head -5",
    `${resolveTen}; GIT_EDITOR=true git rebase --continue`,
    "git log --oneline -3",
  ],
  "rebase that conflicts, and is aborted": ["git rebase main conflict; git rebase --abort; git status -sb"],
  "rebase that conflicts, and is skipped": [
    "git rebase main conflict; git rebase --skip; git log --oneline -2",
  ],
  "squash interactively": [
    `git checkout -q topic; ${todo("squash")} ${editor("append")} git rebase -i HEAD~3`,
    "git log -2 --format=%B",
  ],
  "fixup interactively": [
    `git checkout -q topic; ${todo("fixup")} git rebase -q -i HEAD~3; git log --oneline -2`,
  ],
  "reorder interactively": [
    `git checkout -q topic; ${todo("reverse")} git rebase -i HEAD~2; git log --oneline -3; git rebase --abort`,
  ],
  "drop interactively": [
    `git checkout -q main; ${todo("drop-first")} git rebase -q -i HEAD~3; git log --oneline -3`,
  ],
  "edit interactively": [
    `git checkout -q topic; ${todo("edit-first")} git rebase -i HEAD~2`,
    "echo new > new; git add new; git commit -q --amend --no-edit; git status | head -3",
    "git rebase --continue; git log --stat --oneline -2",
  ],
  "reword interactively": [
    `git checkout -q topic; ${todo("reword-all")} ${editor("append")} git rebase -i HEAD~2; git log -2 --format=%B`,
  ],
  "exec lines": [`git checkout -q topic; ${todo("exec-after-each")} git rebase -i HEAD~3; cat ../trees`],
  "rebase --exec": [
    "git rebase -q --exec 'make -s test; git status --short' main topic; git log --oneline -3",
  ],
  "rebase --exec that fails": [
    "git rebase --exec false main topic; git status | head -4",
    "git rebase --abort; git status -sb",
  ],
  "rebase --exec that commits": [
    "git rebase -q --exec 'echo $(git rev-list --count HEAD) > count; git add count; git commit -q --amend --no-edit' main~1 topic; git log --stat --oneline -3",
  ],
  autosquash: [
    `git checkout -q topic; echo f >> src/t.txt; git commit -qa --fixup HEAD~2; GIT_SEQUENCE_EDITOR=: git rebase -q -i --autosquash HEAD~4; git log --oneline -4`,
  ],
  autostash: [
    "git checkout -q topic; echo dirty >> README.md; git rebase --autostash main; git status --short; git stash list",
  ],
  "rebase of merges": [
    "git checkout -q -b m main~1; git merge -q --no-edit topic; echo m > m; git add m; git commit -qm m; git rebase -q --rebase-merges main; git log --oneline --graph -5",
  ],
  "edit the todo": [
    `git checkout -q topic; ${todo("edit-first")} git rebase -q -i HEAD~2`,
    `${todo("append")} git rebase --edit-todo; ${editor("append")} git rebase --edit-todo; git rebase --show-current-patch | head -1`,
    "git rebase --quit; git status -sb",
  ],
  "update refs": [
    "git branch middle topic~1; git rebase -q --update-refs main topic; git log --oneline -3 --decorate=short",
  ],
  "rebase over protected files": [
    "git rebase -q settings topic; ls -A; git rebase -q no-settings; ls -A; git status --short",
  ],
};

const patches: Record<string, Sequence> = {
  "cherry-pick": [
    "git cherry-pick topic~1 topic~2; git status -sb",
    "git cherry-pick --abort; git cherry-pick topic~2; git log --oneline -2",
  ],
  "cherry-pick -x of a range": ["git cherry-pick -x topic~3..topic; git log -3 --format=%B"],
  "cherry-pick that conflicts": [
    "git cherry-pick conflict~1; git status --short",
    `${resolveTen}; git cherry-pick --continue; git -c core.editor=true cherry-pick --continue; git log -1 --format=%s`,
  ],
  "cherry-pick without a commit": [
    "git cherry-pick -n topic; git status --short; git cherry-pick --quit; git commit -qm picked",
  ],
  "cherry-pick with an editor": [`${editor("append")} git cherry-pick -e topic~2; git log -1 --format=%B`],
  revert: ["git revert --no-edit HEAD~2; git log -1 --format=%B; git status -sb"],
  "revert of a merge": ["git merge -q --no-edit topic; git revert --no-edit -m 1 HEAD; git log --oneline -3"],
  "revert with an editor": [`${editor("append")} git revert HEAD; git log -1 --format=%B`],
  "revert that conflicts": [
    "git revert --no-edit HEAD~2 HEAD~1; git status --short; git revert --skip; git revert --abort; git status -sb",
  ],
  "format-patch and am": [
    "git format-patch -q -o ../patches main~1..conflict; git checkout -q -b am v1; git am -q ../patches/0002*; git log --oneline -2",
  ],
  "am that conflicts": [
    "git format-patch -q -o ../patches main..conflict; git am ../patches/*; git am --show-current-patch=diff | head -2",
    "git am --abort; git status -sb",
  ],
  "am with three ways": [
    "git format-patch -q -o ../patches main..conflict; git am -3 ../patches/*; git status --short",
    `${resolveTen}; git am --continue; git log --oneline -2`,
  ],
  "am by standard input": [
    "git format-patch --stdout main..topic > ../all.mbox; git am < ../all.mbox; git log --oneline -4",
  ],
  "apply a diff": [
    "git diff main topic > ../d.patch; git apply --stat ../d.patch; git apply --check ../d.patch && git apply --index ../d.patch; git status --short; git apply -R ../d.patch; git status --short",
  ],
  "apply to the index only": [
    "git diff main topic > ../d.patch; git apply --cached ../d.patch; git status --short",
  ],
  "apply that fails": [
    "git diff main conflict > ../d.patch; git checkout -q v1; git apply ../d.patch; git apply --reject ../d.patch; git status --short",
  ],
};

const stashes: Record<string, Sequence> = {
  "stash and pop": [
    "echo s >> src/a.txt; git stash; git status --short; git stash list; git stash pop; git status --short",
  ],
  "stash of untracked files": [
    "echo u > u; mkdir dist; echo d > dist/d; git stash -u; ls; git stash pop -q; git stash -a -q; ls; git stash pop -q; ls dist",
  ],
  "stash with the index": [
    "echo s >> src/a.txt; git add -A; echo w >> src/a.txt; git stash -q; git stash apply --index; git status --short; git stash drop",
  ],
  "named stashes": [
    "echo 1 >> README.md; git stash push -q -m one; echo 2 >> src/a.txt; git stash push -q -m two -- src/a.txt; git stash list; git stash show -p stash@{1}; git stash apply -q stash@{1}; git stash clear; git stash list",
  ],
  "stash that conflicts": [
    "echo s > src/a.txt; git stash -q; echo t > src/a.txt; git commit -qam t; git stash pop; git status --short; git checkout -q --ours src/a.txt; git reset -q; git stash drop",
  ],
  "stash as a branch": [
    "echo s >> src/a.txt; git stash -q; git stash branch from-stash; git status -sb; git stash list",
  ],
  "stash over a checkout": [
    "echo s >> README.md; git stash -q; git checkout -q workflow; git checkout -q settings; git checkout -q main; git stash pop; git status --short",
  ],
  "stash of staged files": [
    "echo s >> src/a.txt; git add -A; echo w >> src/b.txt; git stash push -q --staged; git status --short; git stash show --stat",
  ],
  "stash create and store": [
    "echo s >> src/a.txt; c=$(git stash create); git stash store -m kept $c; git stash list; git status --short",
  ],
};

const names: Record<string, Sequence> = {
  tags: [
    "git tag t1; git tag -a t2 -m two; git tag -l --sort=refname -n1; git tag -d t1; git describe --exact-match",
  ],
  "tag with an editor": [
    `${editor("write")} git tag -a t3; git tag -l -n9 t3; git tag -f t3 HEAD~1 -m moved`,
  ],
  notes: [
    "git notes add -m 'A note'; git notes append -m more; git log -1 --format='%s %N'; git notes copy HEAD HEAD~1; git notes list; git notes remove HEAD",
  ],
  "notes with an editor": [
    `${editor("write")} git notes add; git notes show; ${editor("append")} git notes edit; git notes show`,
  ],
  replace: [
    "git replace HEAD~1 HEAD~2; git log --oneline -4; git replace -l; git replace -d $(git rev-parse HEAD~1)",
  ],
  reflog: [
    "git commit -q --allow-empty -m e; git reset -q --hard HEAD~1; git reflog; git reset -q --hard HEAD@{1}; git log -1 --format=%s",
  ],
  "reflog expire": ["git commit -q --allow-empty -m e; git reflog expire --expire=now --all; git reflog"],
  "packed refs": [
    "git pack-refs --all; git branch extra; git branch -D topic; git tag -d v1; git for-each-ref",
  ],
  "update-ref": [
    "git update-ref refs/heads/made HEAD~1; git update-ref refs/heads/made HEAD HEAD~1; printf 'create refs/x/1 HEAD\\ndelete refs/heads/made\\n' | git update-ref --stdin; git show-ref",
  ],
};

const remotes: Record<string, Sequence> = {
  fetch: ["git fetch; git branch -r; git status -sb"],
  "fetch with everything": ["git fetch --all --prune --tags; git for-each-ref; cat .git/FETCH_HEAD | wc -l"],
  pull: ["git pull; git log --oneline -2; cat ahead.txt"],
  "pull with a rebase": [
    "echo mine > mine; git add mine; git commit -qm mine; git pull -q --rebase; git log --oneline -3; git status -sb",
  ],
  "pull with a merge": [
    "echo mine > mine; git add mine; git commit -qm mine; git pull -q --no-rebase --no-edit; git log --oneline --graph -4",
  ],
  "pull that is not a fast forward": ["git commit -q --allow-empty -m mine; git pull --ff-only; echo $?"],
  push: [
    "git pull -q; git commit -q --allow-empty -m p; git push; git status -sb; git -C ../remote.git log --oneline -1 main",
  ],
  "push that is rejected": [
    "git commit -q --allow-empty -m p; git push; echo $?; git push -q --force; git status -sb",
  ],
  "push a new branch": [
    "git checkout -q -b new; git commit -q --allow-empty -m p; git push",
    "git push -u origin new; git status -sb",
  ],
  "push a new branch by its name": [
    "git checkout -q topic; git push -u origin HEAD; git branch -vv --list topic",
  ],
  "push with auto-setup": ["git checkout -q -b auto; git -c push.autoSetupRemote=true push; git status -sb"],
  "push and delete": [
    "git push -q origin topic:t; git push origin --delete t; git push origin :feature; git branch -r",
  ],
  "push tags": [
    "git tag new-tag; git push origin --tags; git push origin v2 --force-with-lease; git ls-remote --tags origin",
  ],
  "push with a lease": [
    "git fetch -q; git commit -q --allow-empty -m p; git push --force-with-lease; git status -sb",
  ],
  "push --follow-tags --atomic": [
    "git pull -q; git tag -a rel -m rel; git push --atomic --follow-tags; git ls-remote origin",
  ],
  "add and remove a remote": [
    "git remote add other ../sub.git; git fetch -q other; git branch -r; git remote -v; git remote remove other; git branch -r",
  ],
  "rename a remote": ["git remote rename origin upstream; git remote -v; git branch -r; git status -sb"],
  "set the address of a remote": [
    "git remote set-url origin ../sub.git; git remote get-url origin; git remote set-url --push origin ../remote.git; git remote -v",
  ],
  "heads of a remote": [
    "git remote set-head origin main; git remote set-head origin -a; git remote show origin; git remote set-branches --add origin fresh; git config --get-all remote.origin.fetch",
  ],
  "prune a remote": [
    "git -C ../remote.git branch -q -D feature; git remote prune origin; git fetch -p; git branch -r",
  ],
  "fetch a ref by hand": [
    "git fetch origin fresh:refs/heads/fresh; git fetch -q origin +refs/heads/*:refs/remotes/all/*; git branch -a",
  ],
  "fetch from a path": [
    "git fetch ../remote.git fresh; git log -1 --format=%s FETCH_HEAD; git merge -q --no-edit FETCH_HEAD; git log -1 --format=%s",
  ],
  "ls-remote": ["git ls-remote origin; git ls-remote --symref ../sub.git HEAD"],
  "a shallow history": [
    `git ${local} clone -q --depth 1 "file://$PWD/../remote.git" ../shallow; cd ../shallow; git log --oneline; git fetch -q --depth 2; git log --oneline; git fetch -q --unshallow; git log --oneline | wc -l`,
  ],
  "a request to pull": ["git request-pull v1 ../remote.git main 2>&1 | head -8"],
  "a remote outside": [
    'git remote add outside "$OUTSIDE/remote.git"; git fetch -q outside; git push -q outside topic:pushed; git push -u outside main; git ls-remote outside | tail -2; git status -sb',
  ],
};

const settings: Record<string, Sequence> = {
  "a name and an address": [
    "git config user.name Bob; git config user.email bob@example.org; git config user.name; git config --list --local",
  ],
  "read settings": [
    "git config user.name; git config --get remote.origin.url; git config --get-regexp 'remote.*'; git config missing.key; echo $?",
  ],
  "settings of a branch": [
    "git config branch.topic.rebase true; git config branch.topic.remote origin; git config --unset branch.topic.rebase; git config --remove-section branch.topic; git config --list --local",
  ],
  "how to pull and push": [
    "git config pull.rebase true; git config push.default simple; git config push.autoSetupRemote true; git config fetch.prune true; git config rebase.autoSquash true; git config --list --local",
  ],
  "line ends and colours": [
    "git config core.autocrlf input; git config color.ui false; git config core.quotePath false; printf 'a\\r\\n' > crlf; git add crlf; git ls-files --eol crlf",
  ],
  "settings for one command": [
    "git -c user.name=Eve -c user.email=e@example.org commit -q --allow-empty -m eve; git log -1 --format='%an %ae'",
  ],
  "a setting that is added twice": [
    "git config --add remote.origin.fetch '+refs/tags/*:refs/tags/*'; git config --get-all remote.origin.fetch; git config --unset-all remote.origin.fetch '.*tags.*'; git config --get-all remote.origin.fetch",
  ],
  "settings in parallel": [
    "for i in 1 2 3; do git config --add branch.topic.merge refs/heads/$i; done; git config --get-all branch.topic.merge",
  ],
  "settings of a file": [
    "git config -f ../own.ini a.b c; git config -f ../own.ini --list; git config -f .gitmodules submodule.x.path x; cat .gitmodules; rm .gitmodules",
  ],
};

const removing: Record<string, Sequence> = {
  "reset of all kinds": [
    "git reset --soft HEAD~1; git status --short; git reset; git status --short; git reset --hard HEAD~1; git log -1 --format=%s",
  ],
  "reset of one file": [
    "echo x >> src/a.txt; git add -A; git reset -q src/a.txt; git status --short; git reset HEAD~1 -- src/b.txt; git status --short",
  ],
  "reset --keep and --merge": [
    "echo x >> README.md; git reset --keep HEAD~1; git status --short; git reset --merge ORIG_HEAD; git status --short",
  ],
  clean: [
    "mkdir -p new/deep dist; touch new/deep/f g h.log dist/d; git clean -n; git clean -fd; ls; git clean -fdX; ls; git status --short --ignored",
  ],
  "clean all": ["mkdir -p new dist .cache; touch new/f dist/d .cache/c x.log; git clean -fdx; ls -A"],
  restore: [
    "rm -r src; git restore .; git restore --source=v1 src/a.txt; git status --short; git restore --staged --worktree .; git status -sb",
  ],
  "restore of a deleted folder of settings": [
    "rm -rf .github .vscode; git status --short; git checkout -- .; git status --short; ls -A",
  ],
  "rm -r and back": [
    "git rm -rq src; git status --short | wc -l; git reset -q --hard; git status --short; ls src",
  ],
  "read-tree and checkout-index": [
    "git read-tree v1; git checkout-index -a -f; git status --short; git read-tree -m -u HEAD; git reset -q --hard; git status -sb",
  ],
};

const hooks: Record<string, Sequence> = {
  "pre-commit": {
    given: hook("pre-commit", "echo checking >&2; git diff --cached --name-only"),
    lines: ["echo n > n; git add n; git commit -m n"],
  },
  "pre-commit that changes files": {
    given: hook(
      "pre-commit",
      "for f in $(git diff --cached --name-only); do tr a-z A-Z < $f > $f.new; mv $f.new $f; git add $f; done",
    ),
    lines: ["echo lower > n; git add n; git commit -qm n; git show --format=%s; git status --short"],
  },
  "pre-commit that refuses": {
    given: hook("pre-commit", "echo no >&2; exit 1"),
    lines: [
      "echo n > n; git add n; git commit -m n; echo $?",
      "git commit -qm n --no-verify; git log -1 --format=%s",
    ],
  },
  "pre-commit with a partial commit": {
    given: hook("pre-commit", "echo made > made; git add made"),
    lines: [
      "echo 1 > one; echo 2 > two; git add one two; git commit -qm one -- one; git show --stat --format=%s; git status --short",
    ],
  },
  "commit-msg": {
    given: hook("commit-msg", 'echo "Change-Id: $(git rev-parse HEAD)" >> "$1"'),
    lines: ["git commit -q --allow-empty -m e; git log -1 --format=%B"],
  },
  "commit-msg that refuses": {
    given: hook("commit-msg", 'grep -q "^[A-Z]" "$1" || { echo "Begin with a capital" >&2; exit 1; }'),
    lines: [
      "git commit --allow-empty -m e; echo $?; git commit -q --allow-empty -m E; git log -1 --format=%s",
    ],
  },
  "prepare-commit-msg": {
    given: hook("prepare-commit-msg", 'echo "[$2]" >> "$1"'),
    lines: [
      `git commit -q --allow-empty -m e; ${editor("append")} git commit -q --allow-empty; git log -2 --format=%B`,
    ],
  },
  "post-commit": {
    given: hook("post-commit", "git rev-parse --short HEAD >> ../commits"),
    lines: ["git commit -q --allow-empty -m e; git commit -q --allow-empty -m f; cat ../commits"],
  },
  "post-checkout and post-merge": {
    given: `${hook("post-checkout", "echo checkout $3 >> ../calls")}; ${hook("post-merge", "echo merge $1 >> ../calls")}`,
    lines: ["git checkout -q topic; git checkout -q main; git merge -q --no-edit topic; cat ../calls"],
  },
  "pre-push": {
    given: hook("pre-push", 'while read -r line; do echo "push $line"; done; echo "to $1"'),
    lines: ["git push origin topic:pushed; echo $?"],
  },
  "pre-push that refuses": {
    given: hook("pre-push", "make -s test; exit 1"),
    lines: ["git push origin topic:pushed; echo $?; git ls-remote origin pushed"],
  },
  "hooks of a rebase": {
    given: `${hook("pre-rebase", 'echo "rebase $*"')}; ${hook("post-rewrite", 'echo "rewrite $1"; cat')}`,
    lines: ["git rebase main topic; git commit -q --amend -m other"],
  },
  "hooks of the remote": {
    given:
      "printf '#!/bin/sh\\ncat; echo got it\\n' > ../remote.git/hooks-x; mkdir -p ../remote.git/hooks; mv ../remote.git/hooks-x ../remote.git/hooks/post-receive; chmod 755 ../remote.git/hooks/post-receive",
    lines: ["git push origin topic:pushed; git ls-remote origin pushed"],
  },
  "hooks in another folder": {
    given:
      "mkdir .husky; printf '#!/bin/sh\\necho husky; make -s test\\n' > .husky/pre-commit; chmod 755 .husky/pre-commit; git config core.hooksPath .husky; git add -A; git commit -q -n -m husky",
    lines: ["echo n > n; git add n; git commit -m n; git log -1 --stat --format=%s"],
  },
  "a hook with another hook's git": {
    given: `${hook("pre-commit", "git stash -q -k -u && make -s test && git stash pop -q")}; ${hook("post-commit", "git notes add -m noted")}`,
    lines: [
      "echo n > n; git add n; echo u > u; git commit -qm n; git status --short; git log -1 --format='%s %N'",
    ],
  },
  "a variable for a hook": {
    given: hook("pre-commit", 'echo "skips $SKIP, $HUSKY"'),
    lines: [
      "SKIP=lint HUSKY=0 git commit --allow-empty -m e; export EDITOR_MODE=x; GIT_EDITOR='echo $EDITOR_MODE >' git commit -q --allow-empty; git log -1 --format=%s",
    ],
  },
  "a hook that reads its input and arguments": {
    given: hook("reference-transaction", 'echo "$1" >> ../states; cat >> ../states'),
    lines: ["git branch x; git branch -D x; cat ../states"],
  },
};

const filters: Record<string, Sequence> = {
  "clean and smudge": {
    given:
      "git config filter.case.clean ../tools/shout; git config filter.case.smudge ../tools/whisper; echo '*.up filter=case' >> .gitattributes; git commit -qam attributes",
    lines: [
      "echo word > a.up; git add a.up; git commit -qm up; git cat-file -p HEAD:a.up; rm a.up; git checkout a.up; cat a.up; git status --short",
    ],
  },
  "large files elsewhere": {
    given:
      "git config filter.big.clean ../tools/store; git config filter.big.smudge ../tools/fetch-stored; git config filter.big.required true; echo '*.big filter=big -text' >> .gitattributes; git commit -qam attributes",
    lines: [
      "seq 1000 > n.big; git add n.big; git commit -qm big; git cat-file -p HEAD:n.big; git checkout -q HEAD~1; ls; git checkout -q main; tail -1 n.big; git status --short",
    ],
  },
  "a filter that fails": {
    given:
      "git config filter.bad.clean ../tools/fail; git config filter.bad.required true; echo '*.bad filter=bad' >> .gitattributes",
    lines: ["echo x > x.bad; git add x.bad; echo $?; git add .gitattributes; git status --short"],
  },
  "a text conversion": {
    given: "git config diff.upper.textconv ../tools/show-upper; echo '*.txt diff=upper' >> .gitattributes",
    lines: ["echo word >> src/a.txt; git diff src/a.txt; git log -p -1 --textconv -- src/b.txt"],
  },
  "an external diff": {
    given: "git config diff.list.command ../tools/list-files; echo '*.txt diff=list' >> .gitattributes",
    lines: [
      "echo word >> src/a.txt; git diff; git diff --no-ext-diff --stat",
      "GIT_EXTERNAL_DIFF=../tools/list-files git diff HEAD~1",
    ],
  },
  "a merge through a filter": {
    given:
      "git config filter.case.clean ../tools/shout; git config filter.case.smudge ../tools/whisper; echo '*.up filter=case' >> .gitattributes; echo a > a.up; git add -A; git commit -qm up; git branch side; echo b >> a.up; git commit -qam b",
    lines: [
      "git checkout -q side; echo c > c.up; git add -A; git commit -qm c; git merge -q --no-edit main; cat a.up; git status --short; git stash list",
    ],
  },
  "a filter of the command line": [
    "echo '*.up filter=x' > .git/../.gitattributes; echo word > a.up; git -c filter.x.clean=../tools/shout add a.up; git cat-file -p :a.up",
  ],
};

const submodules: Record<string, Sequence> = {
  "add a submodule": [
    `git ${local} submodule add ../sub.git lib/sub; git status --short; git commit -qm sub; cat .gitmodules lib/sub/.git; git submodule status`,
  ],
  "clone with submodules": {
    given: `${withSubmodule}; git push -q -f origin main`,
    lines: [
      `git ${local} clone -q --recurse-submodules ../remote.git ../copy; git -C ../copy submodule status; cat ../copy/lib/sub/sub.txt`,
    ],
  },
  "init and update": {
    given: `${withSubmodule}; git submodule deinit -q -f lib/sub; rm -rf .git/modules`,
    lines: [
      "git submodule init; git config --get-regexp submodule",
      `git ${local} submodule update; git submodule status; cat lib/sub/sub.txt`,
    ],
  },
  "commit in a submodule": {
    given: withSubmodule,
    lines: [
      "cd lib/sub && git checkout -q main && echo new >> sub.txt && git commit -qam new && cd ../.. && git status --short && git diff --submodule && git commit -qam bump && git submodule status",
    ],
  },
  "push from a submodule": {
    given: withSubmodule,
    lines: [
      "cd lib/sub && git checkout -q -b mine && echo new >> sub.txt && git commit -qam new && git push -q -u origin mine && git status -sb; git -C ../../../sub.git log --oneline -1 mine",
    ],
  },
  "update to the remote": {
    given: `${withSubmodule}; git -C lib/sub checkout -q HEAD~1; git commit -qam older`,
    lines: [
      `git ${local} submodule update --remote; git status --short; git commit -qam newer; git submodule status`,
    ],
  },
  foreach: {
    given: withSubmodule,
    lines: [
      "git submodule foreach 'git log --oneline -1; echo $sm_path $toplevel'; git submodule foreach -q --recursive pwd",
    ],
  },
  "deinit and remove": {
    given: withSubmodule,
    lines: [
      "git submodule deinit lib/sub; git rm -q lib/sub; git status --short; git commit -qm gone; ls -A; ls .git/modules",
    ],
  },
  "move a submodule": {
    given: withSubmodule,
    lines: [
      "git mv lib/sub moved; git status --short; git commit -qm moved; git submodule status; git -C moved status -sb",
    ],
  },
  "checkout with and without a submodule": {
    given: withSubmodule,
    lines: [
      "git checkout -q HEAD~1; git status --short; git checkout -q main; git submodule status",
      "git -c submodule.recurse=true checkout -q HEAD~1; ls lib; git -c submodule.recurse=true checkout -q main; cat lib/sub/sub.txt",
    ],
  },
  "change the address": {
    given: withSubmodule,
    lines: [
      `git submodule set-url lib/sub ../remote.git; git submodule sync; git config --get-regexp submodule; git -C lib/sub remote -v; git submodule set-branch -b main lib/sub; cat .gitmodules`,
    ],
  },
  "absorb git directories": {
    given:
      "git clone -q ../sub.git inner; git config -f .gitmodules submodule.inner.path inner; git config -f .gitmodules submodule.inner.url ../sub.git; git config submodule.inner.url ../sub.git; git add -A 2> /dev/null; git commit -qm inner",
    lines: ["git submodule absorbgitdirs; cat inner/.git; git submodule status; git status --short"],
  },
  "a settings command in a submodule": {
    given: withSubmodule,
    lines: [
      "git -C lib/sub config user.name Sub; git -C lib/sub remote add up ../../remote.git; git -C lib/sub branch -m main trunk; git -C lib/sub config --list --local",
    ],
  },
};

const worktrees: Record<string, Sequence> = {
  "add and remove a work tree": [
    "git worktree add ../wt topic; git -C ../wt log -1 --format=%s; git worktree list; git worktree remove ../wt; git worktree list",
  ],
  "a work tree inside": [
    "git worktree add -q wt topic; git status --short; cd wt && echo w > w && git add w && git commit -qm w && git log -1 --format=%s && git status -sb",
  ],
  "a work tree with a new branch": [
    "git worktree add -b fix ../fix v1; cd ../fix && echo f > f && git add -A && git commit -qm f && git push -u origin fix && git status -sb",
  ],
  "a work tree that follows a remote": [
    "git worktree add ../feature feature; git -C ../feature status -sb; git worktree remove --force ../feature; git branch -D feature",
  ],
  "rebase in a work tree": [
    "git worktree add -q ../wt conflict; cd ../wt && git rebase main; git status | head -2; git rebase --abort; git status -sb",
  ],
  "lock, move and prune": [
    "git worktree add -q ../wt topic; git worktree lock --reason used ../wt; git worktree remove ../wt; git worktree unlock ../wt; git worktree move ../wt ../moved; git worktree list; rm -rf ../moved; git worktree prune -v; git worktree list",
  ],
  "settings of a work tree": [
    "git worktree add -q ../wt topic; git config extensions.worktreeConfig true; git -C ../wt config --worktree user.name Tree; git -C ../wt config user.name; git config user.name",
  ],
  "repair a work tree": [
    "git worktree add -q ../wt topic; mv ../wt ../other; git worktree repair ../other; git worktree list; git -C ../other status -sb",
  ],
  "stash in a work tree": [
    "git worktree add -q ../wt topic; cd ../wt; echo s >> src/t.txt; git stash -q; cd ../repo; git stash list; git stash pop -q 2>&1 | head -1; git status --short",
  ],
};

const parts: Record<string, Sequence> = {
  "sparse checkout": [
    "git sparse-checkout set src/2; ls -A; git status -sb; git sparse-checkout list; git sparse-checkout add src/3; ls src; git sparse-checkout disable; ls src; git status -sb",
  ],
  "sparse checkout with patterns": [
    "git sparse-checkout set --no-cone '/*' '!/src'; ls; git checkout -q topic; ls; git sparse-checkout reapply; git sparse-checkout disable; ls src",
  ],
  "sparse checkout of a clone": [
    "git clone -q --sparse ../remote.git ../sparse; cd ../sparse; ls -A; git sparse-checkout add src/c; ls src; git ls-files -t | head -4",
  ],
  "one branch of a clone": [
    "git clone -q -b feature --single-branch ../remote.git ../one; cd ../one; git branch -a; git config --get-all remote.origin.fetch",
  ],
  "a mirror": [
    "git clone -q --mirror ../remote.git ../mirror.git; git -C ../mirror.git config --list --local; git -C ../mirror.git remote update; git -C ../mirror.git for-each-ref | wc -l",
  ],
  "a clone with shared objects": [
    "git clone -q -s . ../shared; cat ../shared/.git/objects/info/alternates; cd ../shared && git commit -q --allow-empty -m s && git push -q origin HEAD:refs/heads/from-shared; git -C ../repo log -1 --format=%s from-shared",
  ],
  "a clone by reference": [
    "git clone -q --reference ../repo ../remote.git ../referring; git -C ../referring log --oneline -1; git -C ../referring repack -adq; rm ../referring/.git/objects/info/alternates; git -C ../referring fsck",
  ],
  "a split index": [
    "git update-index --split-index; echo x > x; git add x; git status --short; git update-index --no-split-index; git ls-files x",
  ],
  "assume unchanged and skip-worktree": [
    "git update-index --assume-unchanged src/a.txt; git update-index --skip-worktree src/b.txt; echo x >> src/a.txt; echo x >> src/b.txt; git status --short; git ls-files -v src | head -3; git update-index --no-assume-unchanged src/a.txt; git status --short",
  ],
};

const keeping: Record<string, Sequence> = {
  gc: [
    "git commit -q --allow-empty -m e; git gc -q; git count-objects -v | grep -v size; git fsck; git log --oneline -1",
  ],
  "gc that prunes": [
    "git commit -q --allow-empty -m e; git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now; git count-objects -v | grep -v size; git fsck",
  ],
  "repack and prune": [
    "echo x | git hash-object -w --stdin; git prune -n --expire=now; git repack -adq; git prune --expire=now; git count-objects | cut -d' ' -f1; git prune-packed; git commit-graph write; git multi-pack-index write; git commit-graph verify",
  ],
  maintenance: [
    "git maintenance run --task=loose-objects --task=incremental-repack --quiet; git maintenance run --task=commit-graph --quiet; git fsck",
  ],
  bundle: [
    "git bundle create -q ../all.bundle --all; git bundle verify ../all.bundle; git bundle list-heads ../all.bundle | tail -1; git clone -q -b main ../all.bundle ../from-bundle; git -C ../from-bundle log --oneline -1",
  ],
  "bundle of a range": [
    "git bundle create -q ../some.bundle v1..main; git -C ../remote.git fetch -q ../repo main; git fetch -q ../some.bundle main:bundled; git log -1 --format=%s bundled",
  ],
  archive: [
    "git archive -o ../a.tar HEAD src; tar tf ../a.tar; git archive --format=zip --prefix=p/ v1 | wc -c; git archive --remote=../remote.git main README.md | tar x -C ..; ls ../README.md",
  ],
  "fsck and verify": [
    "git fsck --full --no-dangling; git verify-pack .git/objects/pack/*.idx; git count-objects -v | grep -v size; git rev-list --objects --all | wc -l",
  ],
  "fast export and import": [
    "git fast-export --all > ../all.export; git init -q -b main ../imported; cd ../imported && git fast-import --quiet < ../all.export && git checkout -q -f main && git log --oneline -2 && git status -sb",
  ],
  "filter-branch": [
    "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --tree-filter 'echo filtered > filtered' v1..topic > /dev/null; git log --oneline topic -2; git for-each-ref refs/original",
  ],
  "filter-branch by messages": [
    "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch --msg-filter 'sed s/^/X-/' HEAD~2..HEAD > /dev/null; git log --format=%s -3",
  ],
};

const bisecting: Record<string, Sequence> = {
  "bisect by hand": [
    "git bisect start; git bisect bad; git bisect good v1; git bisect log",
    "git bisect good; git bisect bad; git bisect visualize --oneline",
    "git bisect reset; git status -sb",
  ],
  "bisect run": [
    "git bisect start -q HEAD v1; git bisect run sh -c '! grep -q \"line 3\" src/a.txt'; git bisect log | tail -1; git bisect reset",
  ],
  "bisect run of a program": [
    "git bisect start HEAD v1 > /dev/null; git bisect run make -s test | tail -2; git bisect reset; git status -sb",
  ],
  "bisect skip and replay": [
    "git bisect start HEAD v1; git bisect skip; git bisect log > ../log; git bisect reset -q; git bisect replay ../log; git bisect reset",
  ],
};

const chains: Record<string, Sequence> = {
  "branch, test, commit and push": [
    "git checkout -q -b fix origin/feature && make -s test && echo fix > fix.txt && git add -A && git commit -qm fix && git push -q -u origin fix && git status -sb && git log --oneline -2",
  ],
  "branch, npm test and push": [
    'echo \'{"name":"p","version":"1.0.0","scripts":{"test":"git rev-parse --abbrev-ref HEAD"}}\' > package.json; git checkout -q -b x origin/feature && npm test --silent && git add package.json && git commit -qm package && git push -q -u origin x && git branch -vv --list x',
  ],
  "npm version": [
    'echo \'{"name":"p","version":"1.0.0"}\' > package.json; git add -A; git commit -qm package; npm version patch -m \'Release %s\' 2> /dev/null; git log -1 --format=%s; git tag -l \'v1.0*\'',
  ],
  "fix a conflict in one command": [
    "git merge -q conflict || { git checkout -q --theirs src/b.txt && git add -A && git commit -q --no-edit; }; git log -1 --format=%s; git status -sb",
  ],
  "save, look back, return": [
    "echo wip >> README.md; git stash -q && git checkout -q v1 && make -s test && git checkout -q main && git stash pop -q && git status --short",
  ],
  "feature branch to the end": [
    "git switch -q -c f && echo f > f && git add f && git commit -qm f && git switch -q main && git pull -q && git merge -q --no-ff --no-edit f && git branch -d f && git push -q && git log --oneline --graph -3",
  ],
  "many commits in a loop": [
    "for i in $(seq 15); do echo $i > f$i; git add f$i; git commit -qm $i; done; git log --oneline | wc -l; git status -sb",
  ],
  "in parallel": [
    "git init -q -b main ../p1; git init -q -b main ../p2; for p in 1 2; do (cd ../p$p; for i in 1 2 3 4; do git commit -q --allow-empty -m $i; done) & done; wait; git -C ../p1 log --format=%s; git -C ../p2 log --format=%s",
  ],
  "many at once": [
    "for i in $(seq 70); do git update-ref refs/x/$i HEAD & done; wait; git for-each-ref refs/x | wc -l",
  ],
  "ends of pipes": [
    "git -c protocol.ext.allow=always ls-remote 'ext::true'; echo $?; git log --format=%s | head -1; git -c alias.x='!cat; exec <&- >&-; sleep 0.1' x < README.md | cat; echo end | git hash-object -w --stdin",
  ],
  "reading while writing": [
    "(for i in $(seq 20); do git --no-optional-locks status -s > /dev/null; git log -1 > /dev/null; done) & for i in $(seq 5); do git commit -q --allow-empty -m $i || exit 1; done; wait; git log --format=%s -5",
  ],
  "from node": [
    'node -e \'const r=(...a)=>require("child_process").execFileSync("git",a,{encoding:"utf8"});require("fs").writeFileSync("n","n");r("add","n");r("commit","-qm","by node");console.log(r("log","-1","--format=%s"))\'',
  ],
  "from perl with pipes": [
    'perl -e \'open G, "-|", qw(git log --format=%s -2); print <G>; open H, "|-", qw(git commit -q --allow-empty -F -); print H "by perl\\n"; close H\'; git log -1 --format=%s',
  ],
  "by an absolute path": [
    '"$(command -v git)" commit -q --allow-empty -m absolute; "$(git --exec-path)/git" commit -q --allow-empty -m core; "$(git --exec-path)/git-commit" -q --allow-empty -m dashed; git log --format=%s -3',
  ],
  "with GIT_DIR and GIT_WORK_TREE": [
    "cd ..; export GIT_DIR=$PWD/repo/.git GIT_WORK_TREE=$PWD/repo; git status -s; echo g > repo/g; git add -A; git commit -qm g; git log -1 --stat --format=%s",
  ],
  "with an index of its own": [
    "GIT_INDEX_FILE=$PWD/.git/other git read-tree v1; GIT_INDEX_FILE=$PWD/.git/other git write-tree; git status -s; GIT_INDEX_FILE=../index git add -A; GIT_INDEX_FILE=../index git write-tree; rm .git/other",
  ],
  "in another directory": [
    'cd /; git -C "$OLDPWD/src" commit -q --allow-empty -m far; git --git-dir="$OLDPWD/.git" log -1 --format=%s; git --git-dir="$OLDPWD/.git" --work-tree="$OLDPWD" status -s',
  ],
  "output to a file and a pipe": [
    "git log --oneline > ../log; git diff v1 | wc -l; git show HEAD:README.md | cat; git commit --allow-empty -m out > ../out 2>&1; cat ../out; exec 2>&1; git nonsense; git commit -q",
  ],
  "exit codes": [
    "git diff --quiet HEAD~1; echo $?; git rev-parse nothing; echo $?; git commit -qm empty; echo $?; git checkout nothing; echo $?; git push nowhere; echo $?; (exit 3)",
  ],
};

const protectedFiles: Record<string, Sequence> = {
  "checkout of a branch that changes workflows": [
    "git checkout workflow; cat .github/workflows/ci.yml .github/workflows/new.yml; git status --short; git checkout main; ls .github/workflows; git status -sb",
  ],
  "checkout of a branch with new settings": [
    "git checkout settings; ls -A; cat .envrc .husky/pre-commit .vscode/settings.json; git status --short; git checkout main; ls -A; git status -sb",
  ],
  "checkout of a branch without settings": [
    "git checkout -q no-settings; ls -A; git status --short; git checkout -q main; ls -A; git status -sb",
  ],
  "a merge that changes workflows": [
    "git merge --no-edit workflow; cat .github/workflows/ci.yml; git status -sb; git log -1 --format=%s",
  ],
  "a merge with new settings": [
    "git merge -q --no-edit settings; git status --short; ls -A .vscode .husky; git revert --no-edit HEAD; git status --short; ls -A",
  ],
  "a rebase over settings": [
    "git checkout -q topic; git rebase -q settings; git status -sb; cat .envrc; git reset -q --hard ORIG_HEAD; git status -sb",
  ],
  "a cherry-pick of settings": [
    "git cherry-pick settings workflow; git status -sb; ls -A .vscode .github/workflows",
  ],
  "a reset over settings": [
    "git reset -q --hard settings; git status --short; ls -A; git reset -q --hard main; ls -A; git status --short",
  ],
  "a stash over settings": [
    "git checkout -q settings; echo s >> README.md; git stash -q; git checkout -q main; git stash pop -q; git status --short",
  ],
  "a pull with workflows": {
    given: "git push -q -f origin workflow:main",
    lines: [
      "git checkout -q main~1; git fetch -q; git merge -q --ff-only origin/main; cat .github/workflows/*; git status -sb",
    ],
  },
  "a work tree with settings": [
    "git worktree add -q ../wt settings; cat ../wt/.envrc ../wt/.vscode/tasks.json; git -C ../wt status -sb",
  ],
  "a clone with settings": [
    "git clone -q -b settings . ../copy; ls -A ../copy; cat ../copy/.envrc; git -C ../copy status -sb",
  ],
  "a bisect over settings": [
    "git checkout -q settings; git bisect start -q HEAD v1; git bisect run test ! -e .envrc | tail -1; git bisect reset -q; git status -sb",
  ],
  "far back and forth": [
    "git checkout -q v1; ls -A; git checkout -q settings; git checkout -q workflow; git checkout -q no-settings; git checkout -q main; git status -sb; ls -A",
  ],
  "a secret name that is tracked": [
    "git status --short; git diff; cat .env.test; git checkout -q secret; cat .env.test; git status --short; git checkout -q main; git status -sb",
  ],
  "stash and reset over a secret name": [
    "echo x >> README.md; git stash -q; git stash pop -q; git add -A; git status --short; git reset -q --hard secret; cat .env.test; git status -sb",
  ],
  "a patch of a secret name": [
    "git diff main secret > ../p; git apply ../p; cat .env.test; git status --short; git checkout -q .; git rebase -q secret topic; git status -sb",
  ],
};

const repositories: Record<string, Sequence> = {
  init: [
    "git init -b main ../new; cd ../new && echo 1 > f && git add f && git commit -qm 1 && git log --oneline && git config --list --local",
  ],
  "init inside": [
    "mkdir inner; cd inner; git init -q -b main; echo 1 > f; git add f; git commit -qm 1; cd ..; git status --short; git add inner; git status --short",
  ],
  "init again": ["git init; git init -b other; git config --list --local; git symbolic-ref HEAD"],
  "init a bare repository": [
    "git init -q --bare -b main ../bare.git; git push ../bare.git main; git -C ../bare.git log --oneline -1; git remote add bare ../bare.git; git fetch -q bare; git branch -r",
  ],
  "init with a separate directory": [
    "git init -q -b main --separate-git-dir ../store.git ../apart; cat ../apart/.git; cd ../apart; echo 1 > f; git add f; git commit -qm 1; git log --oneline",
  ],
  clone: [
    "git clone ../remote.git ../copy; cd ../copy && git log --oneline -2 && git status -sb && git config --list --local",
  ],
  "clone, commit and push back": [
    "git clone -q ../remote.git ../copy; cd ../copy; echo c > c; git add c; git commit -qm c; git push -q; cd ../repo; git pull -q; git log --oneline -1; rm -rf ../copy",
  ],
  "clone to a temporary folder": [
    'd=$(mktemp -d); git clone -q ../remote.git "$d/x"; cd "$d/x"; git checkout -q -b t; echo t > t; git add t; git commit -qm t; git config user.name T; git log --oneline -1; rm -rf "$d"',
  ],
  sha256: [
    "git init -q -b main --object-format=sha256 ../long; cd ../long; echo 1 > f; git add f; git commit -qm 1; git log --oneline; git fsck",
  ],
  "plumbing from blob to branch": [
    "b=$(echo blob | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,made; t=$(git write-tree); c=$(git commit-tree $t -p HEAD -m made); git update-ref refs/heads/made $c; git show --stat --format=%s made; git reset -q --hard",
  ],
  "interactive programs of git": [
    "printf 's\\nq\\n' | git add -i; printf '2\\n\\n' | git clean -i; git stripspace < README.md; git interpret-trailers --trailer 'A: b' < README.md; git column --mode=plain < .gitignore",
  ],
  subtree: [
    "git subtree add -q --prefix=vendor ../sub.git main; git log --oneline -1; ls vendor; git subtree split -q --prefix=vendor -b split; git log --oneline split",
  ],
};

/** By what they are about. */
export const sequences: Readonly<Record<string, Readonly<Record<string, Sequence>>>> = {
  reading: reading,
  committing: committing,
  branches: branches,
  merging: merging,
  rebasing: rebasing,
  "single changes and patches": patches,
  stashes: stashes,
  "tags, notes and refs": names,
  remotes: remotes,
  settings: settings,
  "resetting and removing": removing,
  hooks: hooks,
  filters: filters,
  submodules: submodules,
  "work trees": worktrees,
  "parts of a repository": parts,
  maintenance: keeping,
  bisecting: bisecting,
  "chains of commands": chains,
  "protected and secret files": protectedFiles,
  "new repositories": repositories,
};
