import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { missingHere, openSandboxFixture } from "../../../test/support/sandbox-fixture.ts";
import { isInstalled } from "../../../test/support/shells/is-installed.ts";
import { attempt } from "../../system/attempt.ts";

const missing = await missingHere("bwrap");
const test = it.skipIf(missing !== undefined);
const withPython = it.skipIf(missing !== undefined || !isInstalled("python3"));

/** Listens at these paths of the machine, and counts the visits at each. */
async function listenAt(paths: readonly string[]) {
  const visits: string[] = [];
  const servers: Server[] = [];
  for (const path of paths) {
    const server = createServer((socket) => {
      visits.push(path);
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen({ path }, resolve));
    servers.push(server);
  }
  return {
    visits,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.close();
    },
  };
}

const connect = (path: string) =>
  `perl -MSocket -e 'socket(S, AF_UNIX, $_, 0) && connect(S, sockaddr_un($ARGV[0])) && print "reached $ARGV[0]\\n" for SOCK_STREAM, SOCK_DGRAM' '${path}'`;

test("commands reach no socket of the machine", { tags: ["root", "slow"] }, async () => {
  await using fixture = openSandboxFixture("bwrap");
  const made: string[] = [];
  const folder = (parent: string, name: string) => {
    const path = attempt(() => mkdtempSync(join(parent, `toolcrib-${name}-`)));
    if (path !== undefined) made.push(path);
    return path;
  };
  // Where docker, containerd, systemd, D-Bus and PulseAudio listen; agents of ssh and gpg; X11, Wayland and editors.
  const folders = [
    folder("/run", "docker"),
    folder("/var/run", "containerd"),
    attempt(() => mkdirSync("/run/user", { recursive: true })) === null
      ? undefined
      : folder("/run/user", "bus"),
    folder("/tmp", "ssh"),
    folder("/tmp", ".X11-unix"),
    folder("/var/tmp", "vscode-ipc"),
    folder("/opt", "mysql"),
    folder(homedir(), "gnupg"),
    fixture.outside,
  ].filter((path) => path !== undefined);
  const local = ["s", "deep/s", "node_modules/x/s"].map((name) => join(fixture.workspace, name));
  for (const path of local) mkdirSync(dirname(path), { recursive: true });
  const paths = [...folders.map((path) => join(path, "s")), ...local];
  const abstract = `\0toolcrib-${process.pid}`;
  try {
    await using listening = await listenAt([...paths, abstract]);
    writeFileSync(join(fixture.workspace, "go.sh"), paths.map(connect).join("\n"));
    const granted = { readable: [fixture.outside] };
    const written = { writable: [fixture.outside] };
    const all = [
      await fixture.run("bash go.sh"),
      await fixture.run("bash go.sh", granted),
      await fixture.run("bash go.sh", { ...written, readable: [join(fixture.outside, "s")] }),
      await fixture.run(
        `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack("S a*", 1, "\\0$ARGV[0]")) && print "reached"' '${abstract.slice(1)}'`,
      ),
      await fixture.run(
        `mv s t; ln s u; cp -a deep d; for s in t u d/s; do ${connect("$s").replace("'$s'", '"$s"')}; done`,
      ),
    ];
    expect([all.map(({ stdout }) => stdout).join(""), listening.visits]).toEqual(["", []]);
  } finally {
    for (const path of made) rmSync(path, { recursive: true, force: true });
  }
});

test("a socket that another program makes meanwhile is hidden from the next command", {
  tags: "slow",
}, async () => {
  await using fixture = openSandboxFixture("bwrap");
  await fixture.run("true");
  const path = join(fixture.workspace, "late");
  await using listening = await listenAt([path]);
  const { stdout } = await fixture.run(connect(path));
  expect([stdout, listening.visits]).toEqual(["", []]);
});

test("a socket that another program binds at one name and serves at another is hidden while a command runs", {
  tags: "slow",
}, async () => {
  await using fixture = openSandboxFixture("bwrap");
  const decoy = `perl -MSocket -e 'mkdir "d"; socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("$ENV{PWD}/d/own")) or die $!; open F, ">ready"; close F; select(undef, undef, undef, 0.01) until -e "end"'`;
  const running = fixture.run(decoy);
  const at = (name: string) => join(fixture.workspace, name);
  while (!existsSync(at("ready"))) await setTimeout(5);
  await using listening = await listenAt([at("own.123")]);
  linkSync(at("own.123"), at("own"));
  unlinkSync(at("own.123"));
  const { stdout } = await fixture.run(connect("own"));
  fixture.put("end");
  await running;
  expect([stdout, listening.visits]).toEqual(["", []]);
});

const serve = `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("own")) or die $!; listen(S, 5); open F, ">ready"; close F; accept(C, S); print "served\\n"'`;

test("commands reach the socket that another command serves", { tags: "slow" }, async () => {
  await using fixture = openSandboxFixture("bwrap");
  const served = fixture.run(serve);
  const { stdout } = await fixture.run(`until [ -e ready ]; do sleep 0.01; done; ${connect("own")}`);
  expect([stdout, (await served).stdout]).toEqual(["reached own\n", "served\n"]);
});

withPython("multiprocessing works with a manager and with forkserver", { tags: "slow" }, async () => {
  await using fixture = openSandboxFixture("bwrap");
  fixture.put(
    "many.py",
    `import multiprocessing as m
if __name__ == "__main__":
    with m.Manager() as manager:
        print(manager.list([1, 2]))
    with m.get_context("forkserver").Pool(2) as pool:
        print(pool.map(abs, [-1, 2]))
`,
  );
  expect((await fixture.run("python3 many.py")).stdout).toBe("[1, 2]\n[1, 2]\n");
});

it.skipIf(missing !== undefined || !isInstalled("tmux"))(
  "tmux runs a session",
  { tags: "slow" },
  async () => {
    await using fixture = openSandboxFixture("bwrap");
    // Without SHELL, tmux runs the user's login shell, which may be nologin.
    const lines =
      "SHELL=/bin/sh tmux -f /dev/null new-session -d 'echo inside > made'; until [ -s made ]; do sleep 0.05; done; cat made";
    expect((await fixture.run(`timeout 20 bash -c ${JSON.stringify(lines)}`)).stdout).toBe("inside\n");
  },
);
