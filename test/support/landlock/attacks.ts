/**
 * Attacks the Landlock sandbox and prints the result of each attack as JSON: "held", or "ESCAPED". The effect on the
 * machine counts, not the output of the command. Start it with SECRET_OF_PARENT and HOME in its environment.
 */
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { openConfinedWorld, type RunOptions } from "./confined-world.ts";

const versionAtMost = Number(process.argv[2] ?? "99");
const world = await openConfinedWorld({ versionAtMost });
const { workspace, outside, directory } = world;
const home = homedir();
const calls =
  process.arch === "x64"
    ? { ptrace: 101, prlimit: 302, ioctl: 16, socket: 41, connect: 42, sendto: 44, shmget: 29 }
    : { ptrace: 117, prlimit: 261, ioctl: 29, socket: 198, connect: 203, sendto: 206, shmget: 194 };

mkdirSync(join(home, ".ssh"), { recursive: true });
writeFileSync(join(home, ".ssh/id_rsa"), "the canary\n");
writeFileSync(join(outside, "file"), "as it was");
execFileSync("git", ["init", "-q"], { cwd: workspace });
mkdirSync(join(workspace, ".vscode"));
writeFileSync(join(workspace, ".vscode/settings.json"), "{}\n");
writeFileSync(join(workspace, "link to come"), "");

const victim = spawn("sleep", ["600"], { stdio: "ignore" });
let visits = 0;
const visited = (server: Server) => server.on("connection", (socket) => socket.destroy(void visits++));
const tcp = visited(createServer()).listen(0, "127.0.0.1");
const unix = visited(createServer()).listen(join(outside, "socket"));
const abstract = visited(createServer()).listen(`\0toolcrib-trial-${process.pid}`);
const udp = createSocket("udp4").on("message", () => void visits++);
udp.bind(0, "127.0.0.1");
await Promise.all([tcp, unix, abstract, udp].map((server) => once(server, "listening")));
const tcpPort = (tcp.address() as AddressInfo).port;
const udpPort = udp.address().port;
const address = (port: number) => `pack("SnCCCCx8", 2, ${port}, 127, 0, 0, 1)`;

/** The core file limit of this process. */
const coreLimit = () => /Max core file size\s+(\S+)/.exec(readFileSync("/proc/self/limits", "utf8"))![1];
const firstLimit = coreLimit();
const fileIsChanged = () => readFileSync(join(outside, "file"), "utf8") !== "as it was";
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const tookPlace = (output: string) => output.includes("took place");
const perl = (script: string) => `perl -e '${script}'`;

/** A command, and a check whether it got what it must not get. `said` is its output. */
type Attack = readonly [command: string, escaped: (output: string) => boolean, options?: RunOptions];

const agents: RunOptions = {
  confinement: {
    isReadOnly: (path) => path.startsWith(join(workspace, ".vscode")),
    absent: [
      { path: join(workspace, ".mcp.json"), kind: "file" },
      { path: join(workspace, ".claude"), kind: "directory" },
    ],
  },
};

const attacks: Record<string, Attack> = {
  "write /etc": ["echo x > /etc/toolcrib-trial", () => isThere("/etc/toolcrib-trial")],
  "write the home": [`echo x > '${home}/new'`, () => isThere(join(home, "new"))],
  "write beside in the shared temporary folder": [
    `echo x > '${outside}/new'`,
    () => isThere(join(outside, "new")),
  ],
  "write a file outside": [`echo x > '${outside}/file'`, fileIsChanged],
  "cut a file outside": [perl(`truncate("${outside}/file", 0)`), fileIsChanged],
  "cut a file outside on opening it to read": [
    perl(`sysopen(F, "${outside}/file", 512) or sysopen(F, "${outside}/file", 515)`),
    fileIsChanged,
  ],
  "remove a file outside": [`rm -f '${outside}/file'`, () => !isThere(join(outside, "file"))],
  "write through a link": [
    `ln -s '${outside}' out; echo x > out/linked`,
    () => isThere(join(outside, "linked")),
  ],
  "write through a hard link": [`ln '${outside}/file' hard && echo x > hard`, fileIsChanged],
  "move something out": [`echo x > mine; mv mine '${outside}/moved'`, () => isThere(join(outside, "moved"))],
  "write Toolcrib's own state": [
    `echo x > '${directory}/tripwire/runs/x'`,
    () => isThere(join(directory, "tripwire/runs/x")),
  ],
  "write settings of the kernel": [
    "echo 12345 > /proc/sys/vm/max_map_count",
    () => readFileSync("/proc/sys/vm/max_map_count", "utf8") === "12345\n",
  ],
  "read a key": [`cat '${home}/.ssh/id_rsa'`, (output) => output.includes("canary")],
  "read a key through a link": [
    `ln -s '${home}/.ssh/id_rsa' key; cat key`,
    (output) => output.includes("canary"),
  ],
  "read a key through another process": [
    `cat /proc/${process.pid}/root/'${home}/.ssh/id_rsa' /proc/${victim.pid}/cwd/*`,
    (output) => output.includes("canary"),
  ],
  "read the passwords": ["cat /etc/shadow", (output) => output.includes("root:")],
  "read the parent's variables": [
    `cat /proc/${process.pid}/environ`,
    (output) => output.includes("SECRET_OF_PARENT"),
  ],
  "read the parent's memory": [`exec 4< /proc/${process.pid}/mem && echo took place`, tookPlace],
  "connect to loopback": [`exec 3<>/dev/tcp/127.0.0.1/${tcpPort}`, () => visits > 0],
  "connect by another protocol (MPTCP)": [
    perl(
      `$f = syscall(${calls.socket}, 2, 1, 262); $a = ${address(tcpPort)}; syscall(${calls.connect}, $f, $a, 16)`,
    ),
    () => visits > 0,
  ],
  "connect by TCP Fast Open": [
    perl(
      `$f = syscall(${calls.socket}, 2, 1, 0); $a = ${address(tcpPort)}; $d = "x"; syscall(${calls.sendto}, $f, $d, 1, 0x20000000, $a, 16)`,
    ),
    () => visits > 0,
  ],
  "send a datagram": [`echo x > /dev/udp/127.0.0.1/${udpPort}`, () => visits > 0],
  "connect to a unix socket": [
    perl(`use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("${outside}/socket"))`),
    () => visits > 0,
  ],
  "connect to an abstract socket": [
    perl(
      `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("\\0toolcrib-trial-${process.pid}"))`,
    ),
    () => visits > 0,
  ],
  "listen for others": [
    perl(`use Socket; socket(S, AF_INET, SOCK_STREAM, 0) && listen(S, 1) && print "took place"`),
    tookPlace,
  ],
  "end another process": [`kill -9 ${victim.pid} && echo took place`, tookPlace],
  "trace another process": [
    perl(`syscall(${calls.ptrace}, 16, ${victim.pid}, 0, 0) == 0 and print "took place"`),
    tookPlace,
  ],
  "limit another process": [
    perl(`$l = pack "QQ", 4096, 4096; syscall(${calls.prlimit}, ${process.pid}, 4, $l, 0)`),
    () => coreLimit() !== firstLimit,
  ],
  "share memory with others": [
    perl(`syscall(${calls.shmget}, 0, 4096, 0) >= 0 and print "took place"`),
    tookPlace,
  ],
  "make a user namespace": ["unshare -Ur true && echo took place", tookPlace],
  mount: ["mount -t tmpfs none . && echo took place", tookPlace],
  "use io_uring": [perl(`$p = "\\0" x 120; syscall(425, 8, $p) >= 0 and print "took place"`), tookPlace],
  "type into the terminal": [
    perl(
      `for (0x5412, 0x100005412, 0x541c) { $c = "x"; syscall(${calls.ioctl}, 0, $_, $c); print "took place" if $! != 1 }`,
    ),
    tookPlace,
  ],
  "regain powers": [
    "grep -E 'Cap(Prm|Eff|Amb):.*[1-9a-f]|NoNewPrivs:.*0' /proc/self/status && echo took place",
    tookPlace,
  ],
  "find descriptors of the parent": ["ls /proc/self/fd | grep -v '^[0-3]$' && echo took place", tookPlace],
  "reach the launcher by variables": [
    "true",
    () => isThere(join(outside, "preloaded")),
    { env: { PERL5LIB: workspace, PERL5OPT: "-MEvil" } },
  ],
  "write a git hook": [
    "echo x > .git/hooks/pre-commit",
    () => isThere(join(workspace, ".git/hooks/pre-commit")),
  ],
  "write git's config": ["git config core.pager evil", () => gitConfig().includes("evil")],
  "replace .git": [
    "mv .git .g2; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; cp .g2/HEAD .git",
    () => isThere(join(workspace, ".git/hooks/pre-commit")) || !isThere(join(workspace, ".git/refs")),
  ],
  "replace .git by a link": [
    `mv .git .g2; mkdir '${outside}/git'; mkdir -p real/hooks; ln -s real .git; echo x > .git/hooks/pre-commit`,
    () =>
      isThere(join(workspace, ".git/hooks/pre-commit")) ||
      lstatSync(join(workspace, ".git")).isSymbolicLink(),
  ],
  "have protected files written outside by the repair": [
    `rm -rf .vscode; ln -s '${outside}' .vscode`,
    () => isThere(join(outside, "settings.json")) || lstatSync(join(workspace, ".vscode")).isSymbolicLink(),
    agents,
  ],
  "change settings of an editor": [
    "echo evil > .vscode/settings.json; echo > .vscode/tasks.json",
    () =>
      readdirSync(join(workspace, ".vscode")).join() !== "settings.json" ||
      readFileSync(join(workspace, ".vscode/settings.json"), "utf8") !== "{}\n",
    agents,
  ],
  "make settings of agents": [
    "echo {} > .mcp.json; mkdir .claude; echo {} > .claude/settings.json",
    () => isThere(join(workspace, ".mcp.json")) || isThere(join(workspace, ".claude")),
    agents,
  ],
};

function gitConfig(): string {
  return readFileSync(join(workspace, ".git/config"), "utf8");
}

writeFileSync(join(workspace, "Evil.pm"), `open(F, ">", "${outside}/preloaded"); 1;`);

const results: Record<string, string> = {};
for (const [name, [command, escaped, options]] of Object.entries(attacks)) {
  visits = 0;
  const { stdout } = await world.run(command, options);
  // Sent data may not have arrived yet.
  await new Promise((resolve) => setTimeout(resolve, 20));
  results[name] = escaped(stdout) ? "ESCAPED" : "held";
  if (!existsSync(join(outside, "file")) || fileIsChanged())
    writeFileSync(join(outside, "file"), "as it was");
}
for (const server of [tcp, unix, abstract, udp]) server.close();
victim.kill("SIGKILL");
await world.close();
process.stdout.write(JSON.stringify(results));
