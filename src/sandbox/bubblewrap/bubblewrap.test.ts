import { execFileSync } from "node:child_process";
import {
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
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  missingHere,
  openSandboxRoom,
  type SandboxRoom,
  textOf,
} from "../../../test/support/sandbox-room.ts";
import type { ToolError } from "../../contract/error.ts";
import { failureOf } from "../../environment/conformance/world.ts";

const missing = await missingHere("bwrap");

function makeRepository({ workspace }: SandboxRoom): void {
  execFileSync("git", ["init", "-q"], { cwd: workspace });
}

const commit = "git -c user.name=a -c user.email=a@b commit -qm x";

describe.skipIf(missing !== undefined)("in bubblewrap", () => {
  it("runs a command where it is told, and tells how it ended", async () => {
    await using room = openSandboxRoom("bwrap");
    expect(await room.run("pwd; echo err >&2; exit 7")).toEqual({
      stdout: `${room.workspace}\n`,
      stderr: "err\n",
      code: 7,
      remarks: [],
    });
  });

  it("runs a program by a link that lies where nothing is seen", async () => {
    await using room = openSandboxRoom("bwrap");
    symlinkSync("/bin", join(room.outside, "profile"));
    const link = join(room.outside, "linked");
    symlinkSync(realpathSync("/bin/echo"), link);
    const said = async (file: string) => {
      const { signal } = new AbortController();
      const program = await room.environment.start(file, { args: ["ran"], signal });
      return [await textOf(program.stdout), (await program.exit).remarks];
    };
    expect([await said(link), await said(join(room.outside, "profile/echo"))]).toEqual([
      ["ran\n", []],
      ["ran\n", []],
    ]);
  });

  it("without perl runs what may reach hosts where it reaches none, and says so", async () => {
    await using room = openSandboxRoom("bwrap", { perl: undefined });
    const mayConnect = () => true;
    expect(await room.run("echo ran", { mayConnect })).toEqual({
      stdout: "ran\n",
      stderr: "",
      code: 0,
      remarks: ["The command had no network, because perl is not installed."],
    });
    const program = await room.environment.start("/bin/true", {
      args: [],
      reachable: true,
      signal: new AbortController().signal,
    });
    expect((await program.exit).code).toEqual(0);
    expect(await failureOf(program.reach(80))).toEqual({
      code: "unavailable",
      message: "Port 80 in the sandbox cannot be reached without perl",
      hint: "Install perl, or wait for a line of output instead.",
    });
  });

  it("has npm find out soon that a host is refused, also where others are not", async () => {
    await using room = openSandboxRoom("bwrap");
    const command = "env | grep ^npm_config_fetch_ret | sort";
    const online = await room.run(command, { mayConnect: () => false });
    const offline = await room.run(command);
    expect([online.stdout, offline.stdout]).toEqual([
      "npm_config_fetch_retries=1\nnpm_config_fetch_retry_maxtimeout=1000\nnpm_config_fetch_retry_mintimeout=1000\n",
      "npm_config_fetch_retries=0\n",
    ]);
  });

  it("lets write in the workspace and nowhere else", async () => {
    await using room = openSandboxRoom("bwrap");
    const name = `toolcrib-${process.pid}`;
    const elsewhere = [homedir(), "/usr", "/etc", "/"].map((directory) => join(directory, name));
    await room.run(`echo in > in; echo out > '${room.outside}/out'; mkdir -p ${elsewhere.join(" ")}`);
    expect({
      in: readFileSync(join(room.workspace, "in"), "utf8"),
      outside: readdirSync(room.outside),
      elsewhere: elsewhere.filter(existsSync),
    }).toEqual({ in: "in\n", outside: [], elsewhere: [] });
  });

  it("shows nothing of the temporary directory, and keeps one for the session", async () => {
    await using room = openSandboxRoom("bwrap");
    const secret = room.put(join(room.outside, "secret"), "canary");
    const first = await room.run(`cat '${secret}' || true; echo kept > /tmp/kept; echo home > ~/kept`);
    const second = await room.run("cat /tmp/kept ~/kept /var/tmp/kept");
    expect([first.stdout, second.stdout, existsSync("/tmp/kept")]).toEqual(["", "kept\nhome\nkept\n", false]);
  });

  it("leaves nothing of a session behind", async () => {
    const room = openSandboxRoom("bwrap");
    const sessions = join(room.outside, "..", "state", "sessions");
    await room.run("mkdir -p ~/closed/inner /tmp/x; chmod 0 ~/closed/inner ~/closed");
    const before = readdirSync(sessions).length;
    await room.environment.close();
    expect([before, readdirSync(sessions)]).toEqual([1, []]);
    await room[Symbol.asyncDispose]();
  });

  it("hides secrets, whose names stay", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put(".env", "canary");
    room.put("deep/secrets/key", "canary");
    const isHidden = (path: string) => /\/(?:\.env|secrets)$/.test(path);
    const read = await room.run("cat .env deep/secrets/key; ls -A . deep; mv .env x; rm -rf deep", {
      isHidden,
    });
    expect(read.stdout).toEqual(".:\n.env\ndeep\n\ndeep:\nsecrets\n");
    expect(readFileSync(join(room.workspace, "deep/secrets/key"), "utf8")).toBe("canary");
  });

  it("keeps secrets where they are hidden", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put("config/deep/prod.json", "canary");
    room.put("packages/app/.env", "canary");
    const secret = join(room.workspace, "config/deep/prod.json");
    const isHidden = (path: string) => path === secret || path.endsWith("/.env");
    await room.run("mv config c; mv -T config/deep deep; mv packages node_modules", { isHidden });
    const read = await room.run(
      "cat c/deep/prod.json deep/prod.json node_modules/app/.env; find . -type f | sort",
      { isHidden },
    );
    expect(read.stdout).toBe("./config/deep/prod.json\n./packages/app/.env\n");
  });

  it("ends a command when somebody replaces what is covered in its sandbox", async () => {
    await using room = openSandboxRoom("bwrap");
    const secret = room.put(".env", "old");
    const running = room.run("echo > begun; while sleep 0.1; do :; done", {
      isHidden: (path) => path === secret,
    });
    while (!existsSync(join(room.workspace, "begun"))) await setTimeout(10);
    renameSync(room.put("draft", "canary"), secret);
    const { code, remarks } = await running;
    expect({ code, remarks }).toEqual({
      code: undefined,
      remarks: [
        `${secret} was replaced while the command ran, which uncovers it in the sandbox: the command was ended if it still ran. Start it again.`,
      ],
    });
  });

  it("puts git's settings back that a command writes when they are replaced", async () => {
    await using room = openSandboxRoom("bwrap");
    makeRepository(room);
    const config = join(room.workspace, ".git/config");
    const before = readFileSync(config, "utf8");
    const running = room.run(
      "echo > begun; while :; do echo '[core] fsmonitor = evil' >> .git/config; done 2> /dev/null",
    );
    while (!existsSync(join(room.workspace, "begun"))) await setTimeout(10);
    execFileSync("git", ["config", "user.name", "bob"], { cwd: room.workspace });
    const replaced = readFileSync(config, "utf8");
    const { code } = await running;
    const text = readFileSync(config, "utf8");
    // Whether it had the time to write.
    expect({ code, isKept: text === before || text === replaced }).toEqual({ code: undefined, isKept: true });
    expect(text).not.toContain("evil");
  });

  it("keeps hidden and fixed what lies in directories that a command has closed", async () => {
    await using room = openSandboxRoom("bwrap");
    makeRepository(room);
    execFileSync("git", ["init", "-q", "sub"], { cwd: room.workspace });
    room.put("app/.env", "canary");
    const isHidden = (path: string) => path.endsWith("/.env");
    const closed = ["app", ".git", "sub/.git"];
    await room.run(`chmod 0 ${closed.join(" ")}`, { isHidden });
    const spoil = "cat app/.env; echo '[evil]' >> .git/config; echo '[evil]' >> sub/.git/config";
    const read = await room.run(`chmod 755 ${closed.join(" ")}; ${spoil}`, { isHidden });
    for (const name of closed) chmodSync(join(room.workspace, name), 0o755);
    const settings = [".git", "sub/.git"].map((git) =>
      readFileSync(join(room.workspace, git, "config"), "utf8"),
    );
    expect([read.stdout, settings.join("")]).toEqual(["", expect.not.stringContaining("evil")]);
  });

  it("lets the workspace itself become no repository", async () => {
    await using room = openSandboxRoom("bwrap");
    const make = "mkdir -p objects refs HEAD.renamed; echo 'ref: refs/heads/main' > HEAD; echo evil > config";
    const { remarks } = await room.run(make);
    expect([remarks, readdirSync(room.workspace)]).toEqual([
      [
        `The command turned ${room.workspace} itself into a repository, whose settings git would obey. HEAD was renamed to HEAD.renamed-1.`,
      ],
      ["HEAD.renamed", "HEAD.renamed-1", "config", "objects", "refs"],
    ]);
  });

  it("lets write nothing in a repository that it lets read", async () => {
    await using room = openSandboxRoom("bwrap");
    execFileSync("git", ["init", "-q"], { cwd: room.outside });
    const before = readdirSync(join(room.outside, ".git"));
    const ran = await room.run(`cd '${room.outside}' && git status --short && touch .git/x; ls -A .git`, {
      readable: [room.outside],
    });
    expect([ran.stdout.trim().split("\n"), readdirSync(join(room.outside, ".git"))]).toEqual([
      before,
      before,
    ]);
  });

  it("keeps protected files as they are, also when their directories are renamed", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put("config/deep/fixed", "old");
    const isReadOnly = (path: string) => path.endsWith("/fixed");
    await room.run(
      "echo new > config/deep/fixed; mv config c; mv config/deep d; rm -rf config; mkdir -p config/deep",
      {
        isReadOnly,
      },
    );
    expect(readFileSync(join(room.workspace, "config/deep/fixed"), "utf8")).toBe("old");
  });

  it("lets nothing come into being that must not, and leaves no trace of that", async () => {
    await using room = openSandboxRoom("bwrap");
    const absent = [
      { path: join(room.workspace, ".mcp.json"), kind: "file" },
      { path: join(room.workspace, ".git"), kind: "directory" },
      { path: join(room.workspace, ".github/workflows"), kind: "directory" },
    ] as const;
    const ran = await room.run(
      "echo evil > .mcp.json; rm -f .mcp.json; mv .github x; echo evil > .github/workflows/x; git init -q; git init -q sub && echo sub",
      { absent },
    );
    expect([ran.stdout, readdirSync(room.workspace)]).toEqual(["sub\n", ["sub"]]);
  });

  it("commits, but changes nothing that git runs by itself", async () => {
    await using room = openSandboxRoom("bwrap");
    makeRepository(room);
    const git = join(room.workspace, ".git");
    const before = [readFileSync(join(git, "config"), "utf8"), readdirSync(join(git, "hooks"))];
    await room.run("echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo /tmp > .git/commondir");
    await room.run(
      "mv .git g; rm -rf .git/hooks; mkdir -p .git/hooks; ln -sf x .git/config; mv .git/hooks .git/h",
    );
    const ran = await room.run(`touch new; git add -A; ${commit} && git log --format=%s --name-only`);
    expect([ran.stdout, readFileSync(join(git, "config"), "utf8"), readdirSync(join(git, "hooks"))]).toEqual([
      "x\n\nnew\n",
      ...before,
    ]);
    expect(existsSync(join(git, "commondir"))).toBe(false);
  });

  it("adds neither stubs nor secrets to a commit", async () => {
    await using room = openSandboxRoom("bwrap");
    makeRepository(room);
    room.put(".env", "canary");
    room.put("odd [name] !#\\.env", "canary");
    const absent = [{ path: join(room.workspace, ".mcp.json"), kind: "file" }] as const;
    const ran = await room.run(`touch new; git add -A && ${commit} && git ls-files && git status --short`, {
      absent,
      isHidden: (path) => path.endsWith(".env"),
    });
    expect(ran).toEqual({ stdout: "new\n", stderr: "", code: 0, remarks: [] });
  });

  it("takes tracked secrets for unchanged, and commits beside them", async () => {
    await using room = openSandboxRoom("bwrap");
    makeRepository(room);
    const secret = room.put("fixtures/test.pem", "canary");
    chmodSync(room.put("run.pem", "canary"), 0o755);
    for (const path of [secret, join(room.workspace, "run.pem")]) utimesSync(path, 1e9, 1e9);
    execFileSync("sh", ["-c", `git add -A && ${commit}`], { cwd: room.workspace });
    const ran = await room.run(
      `touch new; cat run.pem fixtures/test.pem; git status --short; git add -A && ${commit} -a && git show --format=%s --stat`,
      { isHidden: (path) => path.endsWith(".pem") },
    );
    const after = execFileSync("git", ["status", "--short"], { cwd: room.workspace, encoding: "utf8" });
    expect([ran.stdout, ran.stderr.match(/Permission denied/g)?.length, ran.code, after]).toEqual([
      "?? new\nx\n\n new | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)\n",
      2,
      0,
      "",
    ]);
  });

  it("puts a .git back that is a link", async () => {
    await using room = openSandboxRoom("bwrap");
    makeRepository(room);
    const git = join(room.workspace, ".git");
    execFileSync("mv", [git, join(room.workspace, "kept")]);
    symlinkSync("kept", git);
    const ran = await room.run("rm .git; mkdir -p .git/hooks");
    expect([readlinkSync(git), readdirSync(`${git}.replaced`), ran.remarks]).toEqual([
      "kept",
      ["hooks"],
      [`The command replaced the link ${git}, which was restored. What replaced it is now ${git}.replaced.`],
    ]);
  });

  it("shows nothing through links that a workspace brings in places that are protected", async () => {
    await using room = openSandboxRoom("bwrap");
    makeRepository(room);
    const secret = room.put(join(room.outside, "private/key"), "canary");
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
      rmSync(join(room.workspace, name), { recursive: true, force: true });
      const target = name === ".git/config" ? secret : join(room.outside, "private");
      symlinkSync(target, join(room.workspace, name));
    }
    const ran = await room.run(
      `cat '${secret}' ${names.join(" ")} */key .git/*/key; ls ../outside; rm .vscode; true`,
      {
        absent: [
          { path: join(room.workspace, ".vscode"), kind: "directory" },
          { path: join(room.workspace, "sub/.mcp.json"), kind: "file" },
        ],
        isReadOnly: () => true,
      },
    );
    expect([
      ran.stdout,
      readdirSync(join(room.outside, "private")),
      readlinkSync(join(room.workspace, ".vscode")),
    ]).toEqual(["", ["key"], join(room.outside, "private")]);
  });

  it("shows nothing to a command for which another exchanges directories while it begins", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put(join(room.outside, "key"), "canary");
    room.put("deep/.vscode/plain", "plain\n");
    symlinkSync(room.outside, join(room.workspace, "deep/link"));
    const end = new AbortController();
    const attacker = await room.environment.start("/bin/bash", {
      args: ["-c", "cd deep; while :; do mv .vscode v; mv link .vscode; mv .vscode link; mv v .vscode; done"],
      signal: end.signal,
    });
    const read = (path: string) => `cat '${path}/key' 2>/dev/null;`;
    const command = `${[room.outside, "deep/link", "deep/.vscode", "deep/v"].map(read).join(" ")} true`;
    const isReadOnly = (path: string) => path.endsWith("/.vscode");
    const outcomes = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const ran = room.run(command, { isReadOnly });
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

  it("makes nothing outside for who exchanges directories while a command begins", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put(join(room.outside, ".git/HEAD"), "ref: refs/heads/main\n");
    symlinkSync(room.outside, join(room.workspace, "link"));
    const end = new AbortController();
    const attacker = await room.environment.start("/bin/bash", {
      args: [
        "-c",
        "mkdir -p x/.git/objects; : > x/.git/HEAD; while :; do mv x y; mv link x; mv x link; mv y x; : > rounds; done",
      ],
      signal: end.signal,
    });
    const rounds = join(room.workspace, "rounds");
    while (!existsSync(rounds)) await setTimeout(10);
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const ran = room.run("echo ran");
      outcomes.add(
        await ran.then(
          ({ stdout }) => stdout,
          (error: ToolError) => error.code,
        ),
      );
    }
    rmSync(rounds);
    while (!existsSync(rounds)) await setTimeout(10);
    end.abort();
    await attacker.exit;
    expect([...outcomes].filter((outcome) => outcome !== "ran\n" && outcome !== "unavailable")).toEqual([]);
    expect(readdirSync(join(room.outside, ".git"))).toEqual(["HEAD"]);
  });

  it("makes nothing outside through links in the home and the temporary directory of a session", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put(join(room.outside, "read/plain"), "plain\n");
    const around = dirname(room.workspace);
    const moved = await room.run(
      `cd /; mv '${around}' moved || ln -s '/oldroot${room.outside}' '${room.outside}'`,
    );
    const ran = await room.run(`cat '${room.outside}/read/plain'`, {
      readable: [join(room.outside, "read")],
    });
    expect([moved.code, ran.stdout, readdirSync(room.outside)]).toEqual([0, "plain\n", ["read"]]);
  });

  it("gives what rules grant outside, and hides secrets there as well", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put(join(room.outside, "read/plain"), "plain\n");
    room.put(join(room.outside, "read/.env"), "canary");
    mkdirSync(join(room.outside, "write"));
    symlinkSync("read", join(room.outside, "link"));
    const ran = await room.run(`cd ../outside; cat read/plain read/.env; touch read/x; touch write/x; ls`, {
      readable: [join(room.outside, "link"), join(room.outside, "gone")],
      writable: [join(room.outside, "write")],
      isHidden: (path) => path.endsWith("/.env"),
    });
    expect([
      ran.stdout,
      readdirSync(join(room.outside, "read")),
      readdirSync(join(room.outside, "write")),
    ]).toEqual(["plain\nread\nwrite\n", [".env", "plain"], ["x"]]);
  });

  it("has no rights left, whoever starts it", async () => {
    await using room = openSandboxRoom("bwrap");
    const tried = [
      "grep -E 'Cap(Prm|Eff|Bnd)' /proc/self/status | cut -f2 | sort -u",
      "unshare --user true 2>/dev/null || echo no namespace",
      "kill -9 1; ls /proc | grep -c '^[0-9]*$' > count; test $(cat count) -lt 8 && echo alone",
      "(echo x > /proc/sys/kernel/core_pattern) 2>/dev/null || echo no settings",
      "cat /etc/shadow 2>/dev/null || echo no passwords",
      "ip link 2>/dev/null | grep -c '^[0-9]' | grep -v '^[2-9]' > /dev/null; ls /sys/class/net > /dev/null; cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '",
    ];
    const before = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
    const ran = await room.run(tried.join("\n"));
    expect(ran.stdout).toEqual("0000000000000000\nno namespace\nalone\nno settings\nno passwords\nlo\n");
    expect(readFileSync("/proc/sys/kernel/core_pattern", "utf8")).toBe(before);
  });

  it("gives variables to the command alone, unseen in lists of processes", async () => {
    await using room = openSandboxRoom("bwrap");
    const library = join(room.workspace, "evil.so");
    const program = await room.environment.start("/bin/bash", {
      args: ["-c", "echo $WORD $LD_PRELOAD; tr '\\0' '\\n' < /proc/1/cmdline | grep -c canary"],
      env: { WORD: "canary", LD_PRELOAD: library },
      signal: new AbortController().signal,
    });
    const output = await textOf(program.stdout);
    await program.exit;
    const seen = output.split("\n");
    expect([seen[0], existsSync(library)]).toEqual([`canary ${library}`, false]);
  });

  it("leaves its stubs out of snapshots while commands run", async () => {
    await using room = openSandboxRoom("bwrap");
    const absent = [
      { path: join(room.workspace, ".mcp.json"), kind: "file" },
      { path: join(room.workspace, ".git"), kind: "directory" },
    ] as const;
    const program = await room.environment.start("/bin/cat", {
      ...{ args: [], input: "open", confinement: { absent } },
      signal: new AbortController().signal,
    });
    expect(readdirSync(room.workspace)).toEqual([".git", ".mcp.json"]);
    expect((await room.environment.snapshot?.())?.paths).toEqual([]);
    program.endInput();
    await program.exit;
    expect(readdirSync(room.workspace)).toEqual([]);
  });

  it("runs many at once, and cleans up after the last", async () => {
    await using room = openSandboxRoom("bwrap");
    const absent = [{ path: join(room.workspace, ".mcp.json"), kind: "file" }] as const;
    const numbers = [...Array(20).keys()];
    const ran = await Promise.all(
      numbers.map((number) => room.run(`echo ${number}; sleep 0.0${number}`, { absent })),
    );
    expect(ran.map(({ stdout }) => Number(stdout))).toEqual(numbers);
    expect(readdirSync(room.workspace)).toEqual([]);
  });

  it("does not run a command whose sandbox cannot be set up", async () => {
    await using room = openSandboxRoom("bwrap");
    room.put("secrets/x", "");
    const failure = await failureOf(
      room.environment.start("/bin/touch", {
        args: [join(room.workspace, "ran")],
        cwd: "secrets",
        confinement: { isHidden: (path) => path.endsWith("/secrets") },
        signal: new AbortController().signal,
      }),
    );
    expect([(failure as { code: string }).code, existsSync(join(room.workspace, "ran"))]).toEqual([
      "unavailable",
      false,
    ]);
    expect(lstatSync(join(room.workspace, "secrets")).isDirectory()).toBe(true);
  });
});
