import { execFileSync } from "node:child_process";
import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  missingHere,
  openSandboxFixture,
  type SandboxFixture,
  textOf,
} from "../../../test/support/sandbox-fixture.ts";
import type { ToolError } from "../../contract/error.ts";
import { failureOf } from "../../environment/conformance/world.ts";

const missing = await missingHere("bwrap");

function makeRepository({ workspace }: SandboxFixture): void {
  execFileSync("git", ["init", "-q"], { cwd: workspace });
}

/** Runs a function between the plan of the mounts and the mounts: when the seccomp program is opened. */
function whileMounted(change: () => void): Disposable {
  const { openSync } = fs;
  const put = (open: unknown) => {
    Object.assign(fs, { openSync: open });
    syncBuiltinESMExports();
  };
  put((path: string, ...rest: [number]) => {
    if (String(path).endsWith("/seccomp")) change();
    return openSync(path, ...rest);
  });
  return { [Symbol.dispose]: () => put(openSync) };
}

const commit = "git -c user.name=a -c user.email=a@b commit -qm x";

describe.skipIf(missing !== undefined)("in bubblewrap", () => {
  it("lets commands write to their home and /tmp when the state is behind a link", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const folder = dirname(fixture.workspace);
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync("elsewhere", join(folder, "state"));
    expect(await fixture.run('echo a > "$HOME/a" && echo b > /tmp/b && cat "$HOME/a" /tmp/b')).toMatchObject({
      stdout: "a\nb\n",
      stderr: "",
      code: 0,
    });
  });

  it("runs a command in the given directory, and reports how it ended", async () => {
    await using fixture = openSandboxFixture("bwrap");
    expect(await fixture.run("pwd; echo err >&2; exit 7")).toEqual({
      stdout: `${fixture.workspace}\n`,
      stderr: "err\n",
      code: 7,
      remarks: [],
    });
  });

  it("runs a program by a link in a directory that is not visible", async () => {
    await using fixture = openSandboxFixture("bwrap");
    symlinkSync("/bin", join(fixture.outside, "profile"));
    const link = join(fixture.outside, "linked");
    symlinkSync(realpathSync("/bin/echo"), link);
    const outputOf = async (file: string) => {
      const { signal } = new AbortController();
      const program = await fixture.environment.start(file, { args: ["ran"], signal });
      return [await textOf(program.stdout), (await program.exit).remarks];
    };
    expect([await outputOf(link), await outputOf(join(fixture.outside, "profile/echo"))]).toEqual([
      ["ran\n", []],
      ["ran\n", []],
    ]);
  });

  it("runs commands without network when perl is missing, and reports it", async () => {
    await using fixture = openSandboxFixture("bwrap", { perl: undefined });
    const mayConnect = () => true;
    expect(await fixture.run("echo ran", { mayConnect })).toEqual({
      stdout: "ran\n",
      stderr: "",
      code: 0,
      remarks: ["The command had no network, which does not work on this machine. See: toolcrib doctor"],
    });
    expect((await fixture.environment.sandbox?.())?.missing).toEqual([
      "Commands have no network, and cannot reach each other's servers: perl is not installed. Install it: `apt install perl-base`.",
    ]);
  });

  it("gives each command an empty network when perl does not work", async () => {
    await using fixture = openSandboxFixture("bwrap", { perl: "/bin/false" });
    const command = "(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null || echo no way";
    expect(await fixture.run(command)).toEqual({ stdout: "no way\n", stderr: "", code: 0, remarks: [] });
    expect((await fixture.environment.sandbox?.())?.missing).toEqual([
      expect.stringMatching(/^Commands have no network, and cannot reach each other's servers: /),
    ]);
  });

  it("makes npm fail fast when a host is refused, even if others are allowed", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const command = "env | grep ^npm_config_fetch_ret | sort";
    const online = await fixture.run(command, { mayConnect: () => false });
    const offline = await fixture.run(command);
    expect([online.stdout, offline.stdout]).toEqual([
      "npm_config_fetch_retries=1\nnpm_config_fetch_retry_maxtimeout=1000\nnpm_config_fetch_retry_mintimeout=1000\n",
      "npm_config_fetch_retries=0\n",
    ]);
  });

  it("allows writing in the workspace and nowhere else", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const name = `toolcrib-${process.pid}`;
    const elsewhere = [homedir(), "/usr", "/etc", "/"].map((directory) => join(directory, name));
    await fixture.run(`echo in > in; echo out > '${fixture.outside}/out'; mkdir -p ${elsewhere.join(" ")}`);
    expect({
      in: readFileSync(join(fixture.workspace, "in"), "utf8"),
      outside: readdirSync(fixture.outside),
      elsewhere: elsewhere.filter(existsSync),
    }).toEqual({ in: "in\n", outside: [], elsewhere: [] });
  });

  it("hides the temporary directory, and keeps a private one for the session", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const secret = fixture.put(join(fixture.outside, "secret"), "canary");
    const first = await fixture.run(`cat '${secret}' || true; echo kept > /tmp/kept; echo home > ~/kept`);
    const second = await fixture.run("cat /tmp/kept ~/kept /var/tmp/kept");
    expect([first.stdout, second.stdout, existsSync("/tmp/kept")]).toEqual(["", "kept\nhome\nkept\n", false]);
  });

  it("leaves nothing of a session behind", async () => {
    const fixture = openSandboxFixture("bwrap");
    const sessions = join(fixture.outside, "..", "state", "sessions");
    await fixture.run("mkdir -p ~/closed/inner /tmp/x; chmod 0 ~/closed/inner ~/closed");
    const before = readdirSync(sessions).length;
    await fixture.environment.close();
    expect([before, readdirSync(sessions)]).toEqual([1, []]);
    await fixture[Symbol.asyncDispose]();
  });

  it("hides secrets in directories too deep for a path to name, and lets commands delete others", {
    tags: "slow",
  }, async () => {
    await using fixture = openSandboxFixture("bwrap");
    const isHidden = (path: string) => path.endsWith("/.env");
    const down = "for i in $(seq 25); do cd -P dddd*; done";
    const make = `mkdir $2; cd $2; ${down.replace("cd -P dddd*", 'mkdir "$1"; cd -P "$1"')}; echo canary > $3`;
    for (const names of [
      ["a", ".env"],
      ["b", "other"],
    ])
      execFileSync("bash", ["-c", make, "bash", "d".repeat(200), ...names], { cwd: fixture.workspace });
    const commands = `(cd a; ${down} 2> /dev/null; cat .env); (cd b; ${down}; cat other); rm -rf b; ls`;
    const { stdout } = await fixture.run(commands, { isHidden });
    expect(stdout).toBe("canary\na\n");
  });

  it("hides the contents of secrets, but not their names", async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put(".env", "canary");
    fixture.put("deep/secrets/key", "canary");
    const isHidden = (path: string) => /\/(?:\.env|secrets)$/.test(path);
    const read = await fixture.run("cat .env deep/secrets/key; ls -A . deep; mv .env x; rm -rf deep", {
      isHidden,
    });
    expect(read.stdout).toEqual(".:\n.env\ndeep\n\ndeep:\nsecrets\n");
    expect(readFileSync(join(fixture.workspace, "deep/secrets/key"), "utf8")).toBe("canary");
  });

  it("refuses to move hidden secrets", async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put("config/deep/prod.json", "canary");
    fixture.put("packages/app/.env", "canary");
    const secret = join(fixture.workspace, "config/deep/prod.json");
    const isHidden = (path: string) => path === secret || path.endsWith("/.env");
    await fixture.run("mv config c; mv -T config/deep deep; mv packages node_modules", { isHidden });
    const read = await fixture.run(
      "cat c/deep/prod.json deep/prod.json node_modules/app/.env; find . -type f | sort",
      { isHidden },
    );
    expect(read.stdout).toBe("./config/deep/prod.json\n./packages/app/.env\n");
  });

  it("names a covered file that is replaced while the command runs, and hides it from the next one", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const secret = fixture.put(".env", "old");
    const isHidden = (path: string) => path === secret;
    const running = fixture.run("echo > begun; until [ -e end ]; do sleep 0.01; done; cat .env", {
      isHidden,
    });
    while (!existsSync(join(fixture.workspace, "begun"))) await setTimeout(10);
    renameSync(fixture.put("draft", "new"), secret);
    fixture.put("end");
    expect(await running).toEqual({
      stdout: "new",
      stderr: "",
      code: 0,
      remarks: [
        `${secret} was replaced outside while the command ran, so the command could see and change it from then on. Later commands cannot.`,
      ],
    });
    expect((await fixture.run("cat .env", { isHidden })).stdout).toBe("");
  });

  it("hides a file that is replaced while the sandbox is set up", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const secret = fixture.put(".env", "old");
    await fixture.run("true");
    using _ = whileMounted(() => renameSync(fixture.put("draft", "canary"), secret));
    const ran = await fixture.run("cat .env || echo hidden", { isHidden: (path) => path === secret });
    expect([ran.stdout, ran.remarks]).toEqual(["hidden\n", []]);
  });

  it("creates nothing outside through a link that appears while the sandbox is set up", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const secret = fixture.put("x/.env", "canary");
    await fixture.run("true");
    using _ = whileMounted(() => {
      rmSync(dirname(secret), { recursive: true, force: true });
      // bubblewrap sees the whole machine there while it mounts.
      symlinkSync(join("/oldroot", fixture.outside), dirname(secret));
    });
    const ran = await fixture.run("echo ran", { isHidden: (path) => path === secret });
    // The command starts a second time.
    expect([ran.stdout, readdirSync(fixture.outside)]).toEqual(["ran\n", []]);
  });

  it("keeps files hidden and protected in directories that a command made inaccessible", {
    tags: "slow",
  }, async () => {
    await using fixture = openSandboxFixture("bwrap");
    makeRepository(fixture);
    execFileSync("git", ["init", "-q", "sub"], { cwd: fixture.workspace });
    fixture.put("app/.env", "canary");
    const isHidden = (path: string) => path.endsWith("/.env");
    const closed = ["app", ".git", "sub/.git"];
    await fixture.run(`chmod 0 ${closed.join(" ")}`, { isHidden });
    const spoil = "cat app/.env; echo '[evil]' >> .git/config; echo '[evil]' >> sub/.git/config";
    const read = await fixture.run(`chmod 755 ${closed.join(" ")}; ${spoil}`, { isHidden });
    for (const name of closed) chmodSync(join(fixture.workspace, name), 0o755);
    const settings = [".git", "sub/.git"].map((git) =>
      readFileSync(join(fixture.workspace, git, "config"), "utf8"),
    );
    expect([read.stdout, settings.join("")]).toEqual(["", expect.not.stringContaining("evil")]);
  });

  it("does not let the workspace itself become a repository", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const make = "mkdir -p objects refs HEAD.renamed; echo 'ref: refs/heads/main' > HEAD; echo evil > config";
    const { remarks } = await fixture.run(make);
    expect([remarks, readdirSync(fixture.workspace)]).toEqual([
      [
        `The command turned ${fixture.workspace} itself into a repository, whose settings git would obey. HEAD was renamed to HEAD.renamed-1.`,
      ],
      ["HEAD.renamed", "HEAD.renamed-1", "config", "objects", "refs"],
    ]);
  });

  it("allows no writes in a repository that it may read", async () => {
    await using fixture = openSandboxFixture("bwrap");
    execFileSync("git", ["init", "-q"], { cwd: fixture.outside });
    const before = readdirSync(join(fixture.outside, ".git"));
    const ran = await fixture.run(
      `cd '${fixture.outside}' && git status --short && touch .git/x; ls -A .git`,
      {
        readable: [fixture.outside],
      },
    );
    expect([ran.stdout.trim().split("\n"), readdirSync(join(fixture.outside, ".git"))]).toEqual([
      before,
      before,
    ]);
  });

  it("keeps protected files unchanged, even when their directories are renamed", async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put("config/deep/fixed", "old");
    const isReadOnly = (path: string) => path.endsWith("/fixed");
    await fixture.run(
      "echo new > config/deep/fixed; mv config c; mv config/deep d; rm -rf config; mkdir -p config/deep",
      {
        isReadOnly,
      },
    );
    expect(readFileSync(join(fixture.workspace, "config/deep/fixed"), "utf8")).toBe("old");
  });

  it("holds back forbidden files, and leaves no trace of them", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const absent = [
      { path: join(fixture.workspace, ".mcp.json"), kind: "file" },
      { path: join(fixture.workspace, ".github/workflows"), kind: "directory" },
    ] as const;
    const ran = await fixture.run(
      "ls -A; echo evil > .mcp.json; mkdir -p .github/workflows; echo evil > .github/workflows/x; git init -q sub && echo sub",
      { absent },
    );
    expect([
      ran.stdout,
      ran.remarks,
      readdirSync(fixture.workspace),
      readdirSync(join(fixture.workspace, ".github")),
    ]).toEqual([
      "sub\n",
      [
        expect.stringMatching(
          /^Held back, .*: \.mcp\.json \(\w{6}\), \.github\/workflows \(\w{6}\)\. .*: allow write \.mcp\.json, allow write \.github\/workflows\/\*\*$/,
        ),
      ],
      [".github", "sub"],
      [],
    ]);
  });

  it("commits, but changes nothing that git runs by itself", { tags: "slow" }, async () => {
    await using fixture = openSandboxFixture("bwrap");
    makeRepository(fixture);
    const git = join(fixture.workspace, ".git");
    const before = [readFileSync(join(git, "config"), "utf8"), readdirSync(join(git, "hooks"))];
    await fixture.run(
      "echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo /tmp > .git/commondir",
    );
    await fixture.run(
      "mv .git g; rm -rf .git/hooks; mkdir -p .git/hooks; ln -sf x .git/config; mv .git/hooks .git/h",
    );
    const ran = await fixture.run(`touch new; git add -A; ${commit} && git log --format=%s --name-only`);
    expect([ran.stdout, readFileSync(join(git, "config"), "utf8"), readdirSync(join(git, "hooks"))]).toEqual([
      "x\n\nnew\n",
      ...before,
    ]);
    expect(existsSync(join(git, "commondir"))).toBe(false);
  });

  it("adds no secrets to a commit, and everything else", async () => {
    await using fixture = openSandboxFixture("bwrap");
    makeRepository(fixture);
    fixture.put(".env", "canary");
    fixture.put("odd [name] !#\\.env", "canary");
    const ran = await fixture.run(`touch new; git add -A; ${commit} && git ls-files && git status --short`, {
      isHidden: (path) => path.endsWith(".env"),
    });
    expect(ran).toMatchObject({
      stdout: 'new\n?? .env\n?? "odd [name] !#\\\\.env"\n',
      stderr: expect.stringContaining('open(".env"): Permission denied'),
      code: 0,
      remarks: [],
    });
  });

  it("treats tracked secrets as unchanged, and commits other files", async () => {
    await using fixture = openSandboxFixture("bwrap");
    makeRepository(fixture);
    const secret = fixture.put("fixtures/test.pem", "canary");
    chmodSync(fixture.put("run.pem", "canary"), 0o755);
    for (const path of [secret, join(fixture.workspace, "run.pem")]) utimesSync(path, 1e9, 1e9);
    execFileSync("sh", ["-c", `git add -A && ${commit}`], { cwd: fixture.workspace });
    const ran = await fixture.run(
      `touch new; cat run.pem fixtures/test.pem; git status --short; git add -A && ${commit} -a && git show --format=%s --stat`,
      { isHidden: (path) => path.endsWith(".pem") },
    );
    const after = execFileSync("git", ["status", "--short"], { cwd: fixture.workspace, encoding: "utf8" });
    expect([ran.stdout, ran.stderr.match(/Permission denied/g)?.length, ran.code, after]).toEqual([
      "?? new\nx\n\n new | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)\n",
      2,
      0,
      "",
    ]);
  });

  it("restores a .git that is a link", async () => {
    await using fixture = openSandboxFixture("bwrap");
    makeRepository(fixture);
    const git = join(fixture.workspace, ".git");
    execFileSync("mv", [git, join(fixture.workspace, "kept")]);
    symlinkSync("kept", git);
    const ran = await fixture.run("rm .git; mkdir -p .git/hooks");
    expect([readlinkSync(git), readdirSync(`${git}.replaced`), ran.remarks]).toEqual([
      "kept",
      ["hooks"],
      [`The command replaced the link ${git}, which was restored. Its replacement is now ${git}.replaced.`],
    ]);
  });

  it("shows nothing through links of the workspace at protected paths", async () => {
    await using fixture = openSandboxFixture("bwrap");
    makeRepository(fixture);
    const secret = fixture.put(join(fixture.outside, "private/key"), "canary");
    const names = [
      ".git/hooks",
      ".git/info",
      ".git/config",
      ".vscode",
      ".git/modules",
      ".git/worktrees",
      "sub",
    ];
    for (const name of names) {
      rmSync(join(fixture.workspace, name), { recursive: true, force: true });
      const target = name === ".git/config" ? secret : join(fixture.outside, "private");
      symlinkSync(target, join(fixture.workspace, name));
    }
    const ran = await fixture.run(
      `cat '${secret}' ${names.join(" ")} */key .git/*/key; ls ../outside; rm .vscode; true`,
      {
        absent: [
          { path: join(fixture.workspace, ".vscode"), kind: "directory" },
          { path: join(fixture.workspace, "sub/.mcp.json"), kind: "file" },
        ],
        isReadOnly: () => true,
      },
    );
    expect([
      ran.stdout,
      readdirSync(join(fixture.outside, "private")),
      readlinkSync(join(fixture.workspace, ".vscode")),
    ]).toEqual(["", ["key"], join(fixture.outside, "private")]);
  });

  it("shows nothing to a command while another process swaps directories during its start", {
    tags: "slow",
  }, async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put(join(fixture.outside, "key"), "canary");
    fixture.put("deep/.vscode/plain", "plain\n");
    symlinkSync(fixture.outside, join(fixture.workspace, "deep/link"));
    const end = new AbortController();
    const attacker = await fixture.environment.start("/bin/bash", {
      args: ["-c", "cd deep; while :; do mv .vscode v; mv link .vscode; mv .vscode link; mv v .vscode; done"],
      signal: end.signal,
    });
    const read = (path: string) => `cat '${path}/key' 2>/dev/null;`;
    const command = `${[fixture.outside, "deep/link", "deep/.vscode", "deep/v"].map(read).join(" ")} true`;
    const isReadOnly = (path: string) => path.endsWith("/.vscode");
    const outcomes = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const ran = fixture.run(command, { isReadOnly });
      outcomes.add(
        await ran.then(
          ({ stdout }) => stdout,
          (error: ToolError) => error.code,
        ),
      );
    }
    end.abort();
    await attacker.exit;
    expect([...outcomes].filter((outcome) => outcome !== "" && outcome !== "unavailable")).toEqual([]);
  });

  it("creates nothing outside while another process swaps directories during the start", {
    tags: "slow",
  }, async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put(join(fixture.outside, ".git/HEAD"), "ref: refs/heads/main\n");
    symlinkSync(fixture.outside, join(fixture.workspace, "link"));
    const end = new AbortController();
    const attacker = await fixture.environment.start("/bin/bash", {
      args: [
        "-c",
        "mkdir -p x/.git/{objects,hooks,info}; : > x/.git/HEAD; : > x/.git/config; while :; do mv x y; mv link x; mv x link; mv y x; : > rounds; done",
      ],
      signal: end.signal,
    });
    const rounds = join(fixture.workspace, "rounds");
    while (!existsSync(rounds)) await setTimeout(10);
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const ran = fixture.run("echo ran");
      outcomes.add(
        await ran.then(
          ({ code, stdout, stderr }) => stdout || `${code}: ${stderr}`,
          (error: ToolError) => error.code,
        ),
      );
    }
    rmSync(rounds);
    while (!existsSync(rounds)) await setTimeout(10);
    end.abort();
    await attacker.exit;
    expect([...outcomes].filter((outcome) => outcome !== "ran\n" && outcome !== "unavailable")).toEqual([]);
    expect(readdirSync(join(fixture.outside, ".git"))).toEqual(["HEAD"]);
  });

  it("creates nothing outside through links in the session's home and temporary directory", async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put(join(fixture.outside, "read/plain"), "plain\n");
    const around = dirname(fixture.workspace);
    const moved = await fixture.run(
      `cd /; mv '${around}' moved || ln -s '/oldroot${fixture.outside}' '${fixture.outside}'`,
    );
    const ran = await fixture.run(`cat '${fixture.outside}/read/plain'`, {
      readable: [join(fixture.outside, "read")],
    });
    expect([moved.code, ran.stdout, readdirSync(fixture.outside)]).toEqual([0, "plain\n", ["read"]]);
  });

  it("grants the outside paths that rules allow, and hides secrets there too", async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put(join(fixture.outside, "read/plain"), "plain\n");
    fixture.put(join(fixture.outside, "read/.env"), "canary");
    mkdirSync(join(fixture.outside, "write"));
    symlinkSync("read", join(fixture.outside, "link"));
    const ran = await fixture.run(
      `cd ../outside; cat read/plain read/.env; touch read/x; touch write/x; cat link/.env; ls`,
      {
        readable: [join(fixture.outside, "link"), join(fixture.outside, "gone")],
        writable: [join(fixture.outside, "write")],
        isHidden: (path) => path.endsWith("/.env"),
      },
    );
    expect([
      ran.stdout,
      readdirSync(join(fixture.outside, "read")),
      readdirSync(join(fixture.outside, "write")),
    ]).toEqual(["plain\nlink\nread\nwrite\n", [".env", "plain"], ["x"]]);
  });

  it("has its network where a grant shows the private home and the workspace, too", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const around = dirname(fixture.workspace);
    const ran = await fixture.run("echo x > in; cat in", { readable: [around] });
    expect([ran, (await fixture.environment.sandbox?.())?.missing]).toEqual([
      { stdout: "x\n", stderr: "", code: 0, remarks: [] },
      [],
    ]);
  });

  it("has no privileges, even when root starts it", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const tried = [
      "grep -E 'Cap(Prm|Eff|Bnd)' /proc/self/status | cut -f2 | sort -u",
      "unshare --user true 2>/dev/null || echo no namespace",
      "kill -9 1; ls /proc | grep -c '^[0-9]*$' > count; test $(cat count) -lt 8 && echo alone",
      "(echo x > /proc/sys/kernel/core_pattern) 2>/dev/null || echo no settings",
      "cat /etc/shadow 2>/dev/null || echo no passwords",
      "ip link 2>/dev/null | grep -c '^[0-9]' | grep -v '^[2-9]' > /dev/null; ls /sys/class/net > /dev/null; cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '",
    ];
    const before = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
    const ran = await fixture.run(tried.join("\n"));
    expect(ran.stdout).toEqual("0000000000000000\nno namespace\nalone\nno settings\nno passwords\nlo\n");
    expect(readFileSync("/proc/sys/kernel/core_pattern", "utf8")).toBe(before);
  });

  it("passes variables to the command only, hidden from process lists", async () => {
    await using fixture = openSandboxFixture("bwrap");
    const library = join(fixture.workspace, "evil.so");
    const program = await fixture.environment.start("/bin/bash", {
      args: ["-c", "echo $WORD $LD_PRELOAD; tr '\\0' '\\n' < /proc/1/cmdline | grep -c canary"],
      env: { WORD: "canary", LD_PRELOAD: library },
      signal: new AbortController().signal,
    });
    const output = await textOf(program.stdout);
    await program.exit;
    const seen = output.split("\n");
    expect([seen[0], existsSync(library)]).toEqual([`canary ${library}`, false]);
  });

  it("runs many commands at once, and cleans up after the last", { tags: "slow" }, async () => {
    await using fixture = openSandboxFixture("bwrap");
    const absent = [{ path: join(fixture.workspace, ".mcp.json"), kind: "file" }] as const;
    const numbers = [...Array(20).keys()];
    const ran = await Promise.all(
      numbers.map((number) => fixture.run(`echo ${number}; sleep 0.0${number}`, { absent })),
    );
    expect(ran.map(({ stdout }) => Number(stdout))).toEqual(numbers);
    expect(readdirSync(fixture.workspace)).toEqual([]);
  });

  it("does not run a command whose sandbox cannot be set up", async () => {
    await using fixture = openSandboxFixture("bwrap");
    fixture.put("secrets/x", "");
    const failure = await failureOf(
      fixture.environment.start("/bin/touch", {
        args: [join(fixture.workspace, "ran")],
        cwd: "secrets",
        confinement: { isHidden: (path) => path.endsWith("/secrets") },
        signal: new AbortController().signal,
      }),
    );
    expect([(failure as { code: string }).code, existsSync(join(fixture.workspace, "ran"))]).toEqual([
      "unavailable",
      false,
    ]);
    expect(lstatSync(join(fixture.workspace, "secrets")).isDirectory()).toBe(true);
  });
});
