import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type ConfinedWorld,
  openConfinedWorld,
  type RunOptions,
} from "../../../test/support/landlock/confined-world.ts";
import { versionOfLandlock } from "../../../test/support/landlock/version-of-landlock.ts";
import { openLandlock } from "./open-landlock.ts";

const version = await versionOfLandlock();
const listsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

if (version === 0) console.warn("SKIPPED: what runs under Landlock, which this kernel does not have");

describe.skipIf(version === 0)("under Landlock", () => {
  let world: ConfinedWorld;
  beforeAll(async () => {
    world = await openConfinedWorld();
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: world.workspace });
  });
  afterAll(() => world.close());

  const output = async (command: string, options?: RunOptions) => {
    const { code, stdout, stderr, remarks } = await world.run(command, options);
    expect({ code, stderr, remarks }).toEqual({ code: 0, stderr: "", remarks: [] });
    return stdout;
  };

  it("is not available when perl does not work", async () => {
    const { workspace, directory } = world;
    const opened = await openLandlock({ workspace, directory, findProgram: async () => "/bin/false" });
    expect(opened).toEqual({
      missing: "Landlock cannot be used: /bin/false does not work. Reinstall perl.",
    });
  });

  it("is not available when Toolcrib is installed in the workspace", async () => {
    const { workspace, directory } = world;
    const ownCode = [{ path: join(workspace, "node_modules/toolcrib"), kind: "directory" as const }];
    expect(
      await openLandlock({ workspace, directory, ownCode, findProgram: async () => "/bin/false" }),
    ).toEqual({
      missing:
        "Landlock cannot be used: Toolcrib is installed in the workspace. Install it globally (npm install --global toolcrib), or install bubblewrap.",
    });
  });

  it("reports its level and its gaps", () => {
    expect(world.sandbox.level).toBe("landlock");
    expect(world.sandbox.report.level).toBe("landlock");
    expect(world.sandbox.report.gaps.length).toBeGreaterThan(4);
  });

  it("leaves nothing running when Toolcrib is killed", { tags: "slow" }, async () => {
    const trials = join(import.meta.dirname, "../../../test/support/landlock/confined-world.ts");
    const script = `
      const { openConfinedWorld } = await import(${JSON.stringify(trials)});
      const { run, workspace } = await openConfinedWorld();
      void run("(setsid sleep 300 & echo $! >> pids); env -i sleep 300 & echo $$ $! >> pids; touch ready; wait");
      console.log(workspace);`;
    const toolcrib = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "pipe" });
    const [output] = await once(toolcrib.stdout, "data");
    const workspace = `${output}`.trim();
    await vi.waitFor(() => expect(existsSync(join(workspace, "ready"))).toBe(true), { timeout: 60_000 });
    const pids = readFileSync(join(workspace, "pids"), "utf8").trim().split(/\s+/);
    const running = () => pids.filter((pid) => existsSync(`/proc/${pid}`)).length;
    const before = running();
    toolcrib.kill("SIGKILL");
    await vi.waitFor(() => expect(running()).toBe(0), { timeout: 60_000 });
    rmSync(dirname(workspace), { recursive: true, force: true });
    expect(before).toBe(3);
  });

  it.skipIf(!listsChildren)(
    "ends programs that clear their environment and fork without a pause",
    { tags: "slow" },
    async () => {
      // Each process is replaced by its child, half of them in a new session. They give up after some time.
      const relay = (file: number) => `env -i perl -e '
      use POSIX; open F, ">", "relay${file}"; fork and exit;
      for (my $end = time + 10; time < $end; ) { POSIX::setsid if ${file % 2}; syswrite F, "x"; fork and exit }
      syswrite F, "end"'`;
      const relays = Array.from({ length: 4 }, (_, file) => file);
      const areRunning = relays.map((file) => `[ -s relay${file} ]`).join(" && ");
      await output(`${relays.map(relay).join("; ")}; until ${areRunning}; do sleep 0.01; done`);
      const written = () => relays.map((file) => readFileSync(join(world.workspace, `relay${file}`), "utf8"));
      const before = written();
      // A relay that still ran would write meanwhile.
      for (let forks = 0; forks < 20; forks += 1) execFileSync("true");
      expect(written()).toEqual(before);
      expect(before.filter((text) => text.endsWith("end"))).toEqual([]);
    },
  );

  it("passes arguments, directory and variables to the command, and returns its exit code", async () => {
    const { code, stdout } = await world.run('printf "%s|" "$PWD" "$A" "é\\n"; exit 7', {
      env: { A: "ü '\n" },
    });
    expect({ code, stdout }).toEqual({ code: 7, stdout: `${world.workspace}|ü '\n|é\\n|` });
  });

  it.skipIf(version < 6)("keeps the command from killing its supervisor", async () => {
    const { code, stdout } = await world.run("kill -9 $PPID 2> /dev/null || echo refused; exit 7");
    expect({ code, stdout }).toEqual({ code: 7, stdout: "refused\n" });
  });

  it("lets a command commit", async () => {
    const commit = "git -c user.name=n -c user.email=e commit -qm first";
    expect(await output(`echo a > a && git add a && ${commit} && git log --format=%s`)).toBe("first\n");
  });

  it("keeps home and temporary directory for the next command", async () => {
    await output('echo 1 > ~/.kept; echo 2 > "$TMPDIR/kept"');
    expect(await output('cat ~/.kept "$TMPDIR/kept"; [ "$(dirname "$(mktemp)")" = "$TMPDIR" ]')).toBe(
      "1\n2\n",
    );
  });

  it("supports what shells need: named pipes, here-documents, /dev/null", async () => {
    expect(await output("cat <(echo a) - <<< b | tee /dev/null; cat < /dev/zero | head -c 0")).toBe("a\nb\n");
  });

  it("moves, links, creates and removes files in the workspace", async () => {
    const command =
      "mkdir -p d/e && echo x > d/f && mv d/f d/e/g && ln d/e/g h && ln -s h s && mkfifo p && rm p";
    expect(await output(`${command} && cat s && rm -r d h s`)).toBe("x\n");
  });

  it("runs Node worker threads", async () => {
    const script = `new (require("worker_threads").Worker)("postMessage(1)".replace("postMessage", "require('worker_threads').parentPort.postMessage"), { eval: true }).on("message", console.log)`;
    expect(
      await output(`'${process.execPath}' -e "$SCRIPT"`, { env: { SCRIPT: script }, confinement: ownNode }),
    ).toBe("1\n");
  });

  it("runs Node child processes that exchange messages", async () => {
    const script = `if (process.send) process.send(2); else require("child_process").fork(process.argv[1]).on("message", (output) => console.log(output))`;
    writeFileSync(join(world.workspace, "fork.cjs"), script);
    expect(await output(`'${process.execPath}' fork.cjs`, { confinement: ownNode })).toBe("2\n");
  });

  const python = programAt("/usr/bin/python3");
  it.skipIf(!python)("runs Python pools, queues and locks", async () => {
    const script = `
import multiprocessing, threading
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(abs, [-1, 2]))
    queue = multiprocessing.Queue()
    queue.put(3)
    print(queue.get())
    with multiprocessing.Lock():
        print(4)
    thread = threading.Thread(target=print, args=(5,))
    thread.start()
    thread.join()
`;
    writeFileSync(join(world.workspace, "many.py"), script);
    expect(await output("python3 many.py")).toBe("[1, 2]\n3\n4\n5\n");
  });

  it("reads the paths that rules allow, but not the hidden files in them", async () => {
    const open = join(world.outside, "open");
    mkdirSync(join(open, "deep/er/than/two/levels"), { recursive: true });
    for (const name of ["a", "key", "deep/b", "deep/key", "deep/er/than/two/levels/key", "deep/er/than/c"])
      writeFileSync(join(open, name), name);
    symlinkSync(join(open, "key"), join(open, "way"));
    const confinement = { readable: [open], isHidden: (path: string) => path.endsWith("key") };
    const { stdout } = await world.run(
      `cd '${open}'; cat a deep/b deep/er/than/c key deep/key deep/er/than/two/levels/key way; echo; ls; echo x > a`,
      {
        confinement,
      },
    );
    expect(stdout).toBe("adeep/bdeep/er/than/c\na\ndeep\nkey\nway\n");
    expect(readFileSync(join(open, "a"), "utf8")).toBe("a");
  });

  it("lets a command that only reads write nothing in the workspace", async () => {
    const command =
      'touch new; mkdir d; echo x > a; rm -f a; git init -q repo; cat a; echo y > "$TMPDIR/y" && cat "$TMPDIR/y"';
    writeFileSync(join(world.workspace, "a"), "kept\n");
    const { stdout } = await world.run(command, { confinement: { readsOnly: true } });
    const made = ["new", "d", "repo"].filter((name) => existsSync(join(world.workspace, name)));
    expect([stdout, made, readFileSync(join(world.workspace, "a"), "utf8")]).toEqual([
      "kept\ny\n",
      [],
      "kept\n",
    ]);
  });

  it("writes to the paths that rules make writable", async () => {
    const open = join(world.outside, "writable");
    mkdirSync(open);
    await output(`echo 1 > '${open}/new'`, { confinement: { writable: [open] } });
    expect(readdirSync(open)).toEqual(["new"]);
  });

  it("protects read-only files in writable paths, and refuses a path that contains secrets", async () => {
    const open = join(world.outside, "home");
    mkdirSync(open);
    for (const name of [".bashrc", "key"]) writeFileSync(join(open, name), "old");
    const writable = [open];
    const isReadOnly = (path: string) => path.endsWith("/.bashrc");
    await world.run(`echo evil > '${open}/.bashrc'`, { confinement: { writable, isReadOnly } });
    expect(readFileSync(join(open, ".bashrc"), "utf8")).toBe("old");
    const isHidden = (path: string) => path.endsWith("/key");
    await expect(world.run("true", { confinement: { writable, isHidden } })).rejects.toMatchObject({
      code: "unavailable",
      message: `The Landlock sandbox cannot make ${open} writable: ${open}/key is a secret, and Landlock cannot hide it there`,
    });
  });

  it("never allows access to Toolcrib's own state", async () => {
    const confinement = { writable: [join(world.directory, "..")] };
    await expect(world.run("true", { confinement })).rejects.toMatchObject({
      code: "unavailable",
      message: `The Landlock sandbox cannot make ${join(world.directory, "..")} writable: it contains Toolcrib's own state`,
    });
  });

  it("distinguishes a missing program from one that failed", async () => {
    await expect(world.run("", { file: "/nowhere/program" })).rejects.toMatchObject({
      code: "unavailable",
      message: "/nowhere/program cannot be run (exec: No such file or directory)",
    });
    expect((await world.run("exit 126")).code).toBe(126);
  });

  it.skipIf(version < 4)("reaches only the hosts that rules name, through a proxy", async () => {
    const server = createServer((_, response) => response.end("answer")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const confinement = { mayConnect: (host: string) => host === "127.0.0.1" };
    const get = (host: string) =>
      `exec 3<>/dev/tcp/127.0.0.1/\${http_proxy##*:} && printf 'GET http://${host}:${port}/ HTTP/1.1\\r\\nHost: x\\r\\nProxy-Authorization: Basic %s\\r\\nConnection: close\\r\\n\\r\\n' "$(printf %s "$http_proxy" | sed 's#http://\\(.*\\)@.*#\\1#' | base64 -w0)" >&3 && cat <&3 | tail -1`;
    const reached = await world.run(get("127.0.0.1"), { confinement });
    const refused = await world.run(get("127.0.0.2"), { confinement });
    const past = await world.run(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo past`, { confinement });
    server.close();
    expect([reached.stdout, past.stdout]).toEqual(["answer", ""]);
    expect(refused.stdout).not.toContain("answer");
    expect(refused.remarks).toHaveLength(1);
  });

  it("lets reachable processes listen", async () => {
    const script = `$| = 1; use Socket; socket(S, AF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(0, INADDR_LOOPBACK)) or die $!; listen(S, 1) or die $!; open(F, ">", "port.new"); print F +(sockaddr_in(getsockname S))[0]; close F; rename "port.new", "port"; accept(C, S); print C "served"`;
    const served = world.run('perl -e "$SCRIPT"', { env: { SCRIPT: script }, reachable: true });
    const port = Number(await contentOf(join(world.workspace, "port")));
    const answer = await new Promise<string>((resolve) => {
      let output = "";
      connect(port, "127.0.0.1")
        .on("data", (bytes) => (output += bytes))
        .on("close", () => resolve(output));
    });
    expect([answer, (await served).code]).toEqual(["served", 0]);
  });

  it("commits in a worktree whose repository is elsewhere, and protects that repository's hooks", async () => {
    const elsewhere = await openConfinedWorld();
    const { workspace, outside } = elsewhere;
    const identity = "-c user.name=n -c user.email=e";
    const make = `git init -q repo && cd repo && git ${identity} commit -q --allow-empty -m first && git worktree add -q -b tree '${workspace}'`;
    execFileSync("bash", ["-c", make], { cwd: outside });
    const hook = join(outside, "repo/.git/hooks/pre-commit");
    const command = `echo a > a && git add a && git ${identity} commit -qm second && git log --format=%s; echo evil > '${hook}'`;
    const { stdout, remarks } = await elsewhere.run(command);
    const forged = join(outside, "forged");
    execFileSync("git", ["init", "-q", "--bare", forged]);
    writeFileSync(join(workspace, ".git"), `gitdir: ${forged}\n`);
    await elsewhere.run(`echo x > '${forged}/new'`);
    expect([stdout, remarks.length, existsSync(hook), existsSync(join(forged, "new"))]).toEqual([
      ...["second\nfirst\n", 2, false, false],
    ]);
    await elsewhere.close();
  });

  it("runs many commands at once", { tags: "slow" }, async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, number) => world.run(`echo ${number}`)));
    expect(all.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 20 }, (_, number) => `${number}\n`));
  });
});

const ownNode = { readable: [process.execPath] };

function programAt(path: string): boolean {
  try {
    execFileSync(path, ["--version"]);
    return true;
  } catch {
    return false;
  }
}

async function contentOf(path: string): Promise<string> {
  for (;;) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
