import type { SandboxLevel } from "../../src/contract/call.ts";

/** Typical work with a shell, step by step in one workspace. */
export interface Work {
  /** Programs that it needs. */
  readonly needs: readonly string[];
  /** REGISTRY stands for the address of an npm registry, FREEPORT for an unused port; also in steps. */
  readonly files?: Readonly<Record<string, string>>;
  readonly rules?: readonly string[];
  /** Commands, or calls of other tools. */
  readonly steps: readonly (string | { readonly tool: string; readonly input: object })[];
  /** The expected output of each step. */
  readonly says: (level: SandboxLevel) => readonly string[];
}

const withIdentity = "-c user.name=A -c user.email=a@example.com";
const unconnected = "curl: (56) CONNECT tunnel failed, response 403";
const refused = (host: string) => `refused ${host}:443: to allow it, add the rule "allow connect ${host}"`;
const offline = refused("api.example.invalid");
/** Under Landlock a command that ran without a question has no network. */
const unresolved = "curl: (6) Could not resolve host: api.example.invalid";
const noNetwork =
  "The command ran without network. The rule `allow connect api.example.invalid` lets it connect.";

export const works: Readonly<Record<string, Work>> = {
  git: {
    needs: ["git"],
    files: { "a.txt": "one\n", "sub/b.txt": "two\n" },
    steps: [
      "git init -q -b main",
      `git add -A && git ${withIdentity} commit -qm first && git status --short && git ls-files`,
      `git checkout -qb topic && echo more >> a.txt && git ${withIdentity} commit -qam topic`,
      `git checkout -q main && echo c > c.txt && git add c.txt && git ${withIdentity} commit -qm c`,
      `git ${withIdentity} rebase -q main topic && git log --format=%s`,
      `echo dirty >> a.txt && git ${withIdentity} stash -q && git stash list --format=%gd && git stash pop -q && git checkout -q a.txt`,
      `git worktree add -q wt main && cd wt && echo z > z && git add z && git ${withIdentity} commit -qm z && git log --format=%s -1`,
      "git clone -q . inner && ls inner && rm -rf inner",
      "git gc -q && git fsck --no-dangling --no-progress && git tag v1 && git describe --tags",
    ],
    says: () => [
      "[no output]",
      "a.txt\nsub/b.txt",
      "[no output]",
      "[no output]",
      "topic\nc\nfirst",
      "stash@{0}",
      "z",
      "a.txt\nc.txt\nsub",
      "v1",
    ],
  },
  "npm with a package beside it": {
    needs: ["npm"],
    files: {
      "lib/package.json": '{ "name": "lib", "version": "1.0.0" }',
      "package.json":
        '{ "name": "demo", "version": "1.0.0", "dependencies": { "lib": "file:./lib" }, "scripts": { "test": "node --test", "postinstall": "node -e \\"fs.writeFileSync(\'installed\', \'\')\\"" } }',
      "threads.test.js": `
        const { test } = require("node:test");
        const { Worker } = require("node:worker_threads");
        const { fork } = require("node:child_process");
        const heard = (from) => new Promise((resolve) => from.on("message", resolve));
        test("threads", () => heard(new Worker("require('worker_threads').parentPort.postMessage(1)", { eval: true })));
        test("forks", () => heard(fork("child.js")));
      `,
      "child.js": "process.send(1); process.disconnect();",
    },
    steps: [
      "npm install --silent --no-audit && ls node_modules installed",
      "npm test 2>&1 | grep -oE '(pass|fail) [0-9]+$'",
      "npx --no-install --loglevel=error node -p 1",
    ],
    says: () => ["installed\n\nnode_modules:\nlib", "pass 2\nfail 0", "1"],
  },
  "npm with a registry that a rule allows": {
    needs: ["npm"],
    rules: ["allow connect 127.0.0.1"],
    files: {
      ".npmrc": "registry=REGISTRY/\nupdate-notifier=false\naudit=false\nfund=false\n",
      "package.json": '{ "name": "demo", "version": "1.0.0", "dependencies": { "tiny": "1.0.0" } }',
    },
    steps: [
      "npm install --silent && rm -r node_modules && npm ci --silent",
      "node -p 'require(\"tiny\").tiny'",
    ],
    says: () => ["[no output]", "true"],
  },
  cargo: {
    needs: ["cargo", "cc"],
    files: {
      "Cargo.toml": '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/main.rs": 'fn main() { println!("hello"); }\n#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n',
    },
    steps: ["cargo build -q && ./target/debug/hello", "cargo test -q 2>&1 | grep -o '1 passed'"],
    says: () => ["hello", "1 passed"],
  },
  pytest: {
    needs: ["pytest"],
    files: { "test_a.py": "def test_a(tmp_path):\n    (tmp_path / 'x').write_text('1')\n" },
    steps: ["pytest -q | grep -o '1 passed'"],
    says: () => ["1 passed"],
  },
  python: {
    needs: ["python3"],
    files: {
      "pool.py":
        "import multiprocessing as m\nif __name__ == '__main__':\n    print(m.Pool(2).map(abs, [-1, -2]))\n",
    },
    steps: [
      "python3 pool.py",
      "python3 -m venv --without-pip env && env/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'",
      `python3 -c 'import sqlite3; c = sqlite3.connect("a.db"); c.execute("pragma journal_mode=wal"); c.execute("create table t(a)"); print(c.execute("select count(*) from t").fetchall())'`,
    ],
    says: () => ["[1, 2]", "True", "[(0,)]"],
  },
  "a compiler": {
    needs: ["make", "cc"],
    files: {
      "main.c": '#include <stdio.h>\nint main(void) { puts("built"); return 0; }\n',
      Makefile: "all: one two\none two: main.c\n\t@$(CC) -o $@ main.c\n",
    },
    steps: ["make -s -j4 && ./one && ./two"],
    says: () => ["built\nbuilt"],
  },
  "a program without leaks": {
    needs: ["gcc"],
    files: { "a.c": '#include <stdlib.h>\nint main(void) { free(malloc(4)); return puts("fine") < 0; }\n' },
    steps: ["gcc -w -fsanitize=address -include stdio.h a.c -o a && ./a"],
    says: () => ["fine"],
  },
  "an archive of another owner": {
    needs: ["tar"],
    files: { "d/f": "content\n" },
    steps: ["tar --owner=1234 --group=1234 -cf t.tar d && rm -r d && tar xf t.tar && cat d/f"],
    says: () => ["content"],
  },
  "global installs": {
    needs: ["npm"],
    files: {
      "lib/package.json": '{ "name": "lib", "version": "1.0.0", "bin": { "says-so": "run.js" } }',
      "lib/run.js": '#!/usr/bin/env node\nconsole.log("installed");\n',
    },
    steps: [
      "chmod +x lib/run.js; npm install -g --silent --offline --no-audit --no-fund ./lib && says-so",
      "cd lib && npm link --silent --offline && says-so",
    ],
    says: () => [
      "installed\n[Installed in the private home of commands (~/.installed), which is deleted with the session: says-so, lib. Its programs are on the PATH of commands.]",
      "installed",
    ],
  },
  "global installs of Python": {
    needs: ["python3", "pip3"],
    files: {
      "wheel.py": [
        "import zipfile",
        "with zipfile.ZipFile('tiny-1-py3-none-any.whl', 'w') as wheel:",
        "    wheel.writestr('tiny.py', 'def main(): print(1)')",
        "    about = 'tiny-1.dist-info/'",
        "    wheel.writestr(about + 'METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n')",
        "    wheel.writestr(about + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')",
        "    wheel.writestr(about + 'entry_points.txt', '[console_scripts]\\ntiny = tiny:main\\n')",
        "    wheel.writestr(about + 'RECORD', '')",
      ].join("\n"),
    },
    steps: [
      "PATH=/usr/bin:/bin:$HOME/.installed/bin; export PIP_ROOT_USER_ACTION=ignore PIP_BREAK_SYSTEM_PACKAGES=1; python3 wheel.py && python3 -m pip install --user -q --no-index --find-links . tiny && tiny && python3 -c 'import tiny; tiny.main()'",
    ],
    says: () => [
      "1\n1\n[Installed in the private home of commands (~/.installed), which is deleted with the session: tiny, tiny.py. Its programs are on the PATH of commands.]",
    ],
  },
  java: {
    needs: ["javac"],
    files: {
      "A.java": 'public class A { public static void main(String[] a) { System.out.println("java"); } }',
    },
    steps: ["javac A.java && java A"],
    says: () => ["java"],
  },
  "temporary files": {
    needs: [],
    steps: [
      // The answer would name a lost file that is not hidden, or whose name is in the command.
      "file=$(mktemp) && echo kept > \"$file\" && echo \"$file\" > name && node -e \"fs.writeFileSync(os.homedir() + '/.no' + 'te', 'home\\n')\"",
      'cat "$(cat name)" ~/.note',
      "echo shared > /dev/shm/toolcrib-work && cat /dev/shm/toolcrib-work && rm /dev/shm/toolcrib-work",
      "cp name /tmp/toolcrib-work 2>&1 && echo there",
    ],
    says: (level) => [
      "[no output]",
      "kept\nhome",
      "shared",
      level === "bwrap"
        ? "there"
        : "Exit code 1.\ncp: cannot create regular file '/tmp/toolcrib-work': Permission denied\n[Write temporary files to $TMPDIR: without bubblewrap commands cannot use /tmp.]",
    ],
  },
  "what a shell offers": {
    needs: [],
    steps: [
      "echo a | cat /dev/stdin && cat <(echo b) && diff <(echo c) <(echo c) && cat <<< d",
      "echo out > /dev/stdout",
      "echo both | tee /dev/stderr > /dev/null",
      "TZ=Asia/Tokyo date +%Z && getent hosts localhost | grep -c localhost",
      "sleep 0.01 & wait && kill -0 $$ && echo $((6 * 7))",
      '[ "$(whoami)" = "$(id -un)" ] && [ -n "$(hostname)" ] && ps -o comm= -p $$ && true',
    ],
    says: () => ["a\nb\nd", "out", "both", "JST\n1", "42", "bash"],
  },
  "what would wait for somebody": {
    needs: ["git"],
    files: { "a.txt": "a\n" },
    steps: [
      "read -r line; echo $?",
      "git init -q",
      `git add a.txt && git ${withIdentity} commit -qm first`,
      "git log --format=%s && git -c core.pager=less log --format=%s",
      "python3 -c 'input(1)' 2>&1 | tail -1",
    ],
    says: () => ["1", "[no output]", "[no output]", "first\nfirst", "EOFError: EOF when reading a line"],
  },
  "a server": {
    needs: [],
    files: {
      "server.js":
        "require('node:http').createServer((_, answer) => answer.end('served')).listen(process.env.PORT, '127.0.0.1', () => console.log('ready'));",
    },
    steps: [
      {
        tool: "process.start",
        input: {
          command: "node server.js",
          name: "server",
          env: { PORT: "FREEPORT" },
          ready: { url: "http://127.0.0.1:FREEPORT/" },
        },
      },
      { tool: "process.stop", input: { name: "server" } },
    ],
    says: () => [
      "server has been running for N s and is ready: localhost:N.\nready\n[Undo does not cover what a process changes after the call that started it.]",
      "server was killed by SIGTERM after N s.",
    ],
  },
  "what has no network": {
    needs: ["curl"],
    steps: [
      "address=https://api.example; curl -sS $address.invalid",
      "address=https://api.example; curl -sS $address.invalid | cat",
      { tool: "process.start", input: { command: "address=https://api.example; curl -sS $address.invalid" } },
    ],
    says: (level) => {
      const [code, said, why] = level === "bwrap" ? [56, unconnected, offline] : [6, unresolved, noNetwork];
      return [
        `Exit code ${code}.\n${said}\n[${why}]`,
        `${said}\n[${why}]`,
        `curl was started, but ended with exit code ${code} at once\n${why} Fix the error it printed, then start it again.\n${said}\n`,
      ];
    },
  },
};
