import { join } from "node:path";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { secretsCanBeRead, signalsPass } from "../landlock/rules.ts";
import { hidden, type Lab, processesWith, systemFiles } from "./lab.ts";

/** Attacks that must fail, the most important first. */
export const attacks: readonly Attack[] = [
  {
    promise: "Keys in the home directory cannot be read",
    script: ({ home }) => {
      const key = shellQuote(`${home}/.ssh/id_rsa`);
      return `cat ${key}; ln -s ${key} key; cat key; cat /proc/$PPID/root${key}`;
    },
    hasSucceeded: leaksCanary,
    needs: "home",
  },
  {
    promise: "Secrets in the workspace (.env) cannot be read",
    script: () => "cat .env; cp .env copied; mv .env moved; cat copied moved",
    hasSucceeded: leaksCanary,
    gap: secretsCanBeRead,
  },
  {
    promise: "Environment variables of Toolcrib are not passed on",
    script: () => "env; cat /proc/self/environ",
    hasSucceeded: leaksCanary,
    isAlwaysPromised: true,
  },
  {
    promise: "Variables and memory of other processes cannot be read",
    script: ({ victim }) =>
      `cat /proc/${victim.pid}/environ; exec 4< /proc/${victim.pid}/mem && ${reportSuccess}; cat /proc/[0-9]*/environ`,
    hasSucceeded: (lab, loot) => loot.includes(lab.canary) || succeeded(lab, loot),
  },
  {
    promise: "Toolcrib's own state cannot be read or written",
    script: ({ state }) =>
      `cat ${shellQuote(join(state, "kept"))}; echo x > ${shellQuote(join(state, "new"))}`,
    hasSucceeded: ({ has, state, canary }, loot) => loot.includes(canary) || has(join(state, "new")),
  },
  {
    promise: "Nothing can be written to the home directory",
    script: ({ home, mark }) =>
      `echo x > ${shellQuote(`${home}/new`)}; echo x > ${shellQuote(`${home}/../.${mark}`)}`,
    hasSucceeded: ({ has, home, mark }) => has(join(home!, "new")) || has(join(home!, "..", `.${mark}`)),
    needs: "home",
  },
  {
    promise: "Nothing can be written in the shared temporary directory",
    script: ({ outside }) =>
      `echo x > ${shellQuote(join(outside, "new"))}; echo x >> ${shellQuote(join(outside, "file"))}`,
    hasSucceeded: (lab) => lab.has(join(lab.outside, "new")) || isOutsideChanged(lab),
  },
  {
    promise: "Nothing can be written to system directories",
    script: ({ mark }) =>
      systemFiles(mark)
        .map((path) => `echo x > ${path}`)
        .join("\n"),
    hasSucceeded: ({ has, mark }) => systemFiles(mark).some(has),
  },
  {
    promise: "Links do not lead out of the workspace",
    script: ({ outside }) =>
      `ln -s ${shellQuote(outside)} out; echo x > out/linked; ln ${shellQuote(join(outside, "file"))} hard && echo x > hard`,
    hasSucceeded: (lab) => lab.has(join(lab.outside, "linked")) || isOutsideChanged(lab),
  },
  {
    promise: "Git hooks cannot be written",
    script: () => "echo evil > .git/hooks/pre-commit; mv .git/hooks x; mkdir .git/hooks; cp x/* .git/hooks",
    hasSucceeded: ({ has, workspace }) => has(join(workspace, ".git/hooks/pre-commit")),
  },
  {
    promise: "Git hooks cannot be written by replacing .git",
    script: () =>
      "mv .git moved.git; mkdir -p .git/hooks; echo evil > .git/hooks/pre-push; cp moved.git/HEAD .git",
    hasSucceeded: ({ has, workspace }) =>
      has(join(workspace, ".git/hooks/pre-push")) || !has(join(workspace, ".git/refs/heads")),
  },
  {
    promise: "Git settings cannot be changed",
    script: () =>
      "printf '[core]\\n\\tpager = evil\\n' >> .git/config; mv .git/config x; echo evil > .git/config",
    hasSucceeded: ({ read, workspace }) => read(join(workspace, ".git/config")).includes("evil"),
  },
  {
    promise: "Settings of agents and editors cannot be created",
    script: () =>
      "for file in .mcp.json opencode.json .claude/settings.json .vscode/tasks.json .zed/tasks.json; do mkdir -p $(dirname $file); echo {} > $file; done",
    hasSucceeded: ({ has, workspace }) =>
      [".mcp.json", "opencode.json", ".claude", ".vscode", ".zed"].some((name) => has(join(workspace, name))),
  },
  {
    promise: "Servers of this machine cannot be reached by TCP or UDP",
    script: ({ ports }) =>
      `(exec 3<>/dev/tcp/127.0.0.1/${ports.tcp}); echo x > /dev/udp/127.0.0.1/${ports.udp}`,
    hasSucceeded: ({ visits }) => visits.tcp + visits.udp > 0,
  },
  {
    promise: "Unix sockets cannot be reached by path",
    script: ({ sockets }) => perl(`${connect}sockaddr_un($ARGV[0]))`, sockets.path),
    hasSucceeded: ({ visits }) => visits.path > 0,
    needs: "perl",
  },
  {
    promise: "Abstract unix sockets cannot be reached",
    script: ({ sockets }) => perl(`${connect}pack("S a*", 1, "\\0$ARGV[0]"))`, sockets.abstract),
    hasSucceeded: ({ visits }) => visits.abstract > 0,
    needs: "perl",
  },
  {
    promise: "Other processes cannot be traced",
    script: ({ victim }) =>
      perl(`print "attack succeeded" if syscall(${calls.ptrace}, 16, $ARGV[0] + 0, 0, 0) == 0`, victim.pid!),
    hasSucceeded: succeeded,
    needs: "perl",
  },
  {
    promise: "Other processes cannot be ended",
    script: ({ victim }) => `kill -9 ${victim.pid}`,
    hasSucceeded: async (lab) => !(await lab.isVictimAlive()),
    gap: signalsPass,
  },
  {
    promise: "User namespaces cannot be created",
    script: () => perl(`print "attack succeeded" if syscall(${calls.unshare}, 0x10000000) == 0`),
    hasSucceeded: succeeded,
    needs: "perl",
  },
  {
    promise: "Nothing can be mounted",
    script: () =>
      perl(
        `($n, $d, $t) = ("none", ".", "tmpfs"); print "attack succeeded" if syscall(${calls.mount}, $n, $d, $t, 0, 0) == 0; syscall(${calls.umount}, $d, 2)`,
      ),
    hasSucceeded: succeeded,
    needs: "perl",
  },
  {
    promise: "No process keeps running when its command has ended",
    script: ({ seconds }) => `setsid sleep ${seconds} < /dev/null > /dev/null 2>&1 & disown; sleep 0.05`,
    hasSucceeded: ({ seconds }) => processesWith("sleep", seconds).length > 0,
    isAlwaysPromised: true,
  },
  {
    promise: "No process keeps running by clearing its environment",
    script: ({ seconds }) =>
      `env -i PATH="$PATH" setsid sleep ${hidden(seconds)} < /dev/null > /dev/null 2>&1 & disown; sleep 0.05`,
    hasSucceeded: ({ seconds }) => processesWith("sleep", hidden(seconds)).length > 0,
  },
];

const reportSuccess = "echo attack succeeded";

function succeeded(_: Lab, loot: string): boolean {
  return loot.includes("attack succeeded");
}

function leaksCanary({ canary }: Lab, loot: string): boolean {
  return loot.includes(canary);
}

function isOutsideChanged({ read, outside }: Lab): boolean {
  return read(join(outside, "file")) !== "as it was\n";
}

function perl(script: string, ...args: readonly (string | number)[]): string {
  return ["perl -e", ...[script, ...args].map((argument) => shellQuote(String(argument)))].join(" ");
}

const connect = "use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, ";

const calls =
  process.arch === "arm64"
    ? { ptrace: 117, unshare: 97, mount: 40, umount: 39 }
    : { ptrace: 101, unshare: 272, mount: 165, umount: 166 };

/** An action that must not be possible for a command, and a test for it. */
export interface Attack {
  /** A sentence without a full stop that is true as long as the attack fails. */
  readonly promise: string;
  /** A bash script that starts in the workspace. Its output is the loot. */
  readonly script: (lab: Lab) => string;
  /** Checks from outside the sandbox. */
  readonly hasSucceeded: (lab: Lab, loot: string) => boolean | Promise<boolean>;
  /** A level whose report has this gap does not make the promise. */
  readonly gap?: string;
  /** The promise also holds without a sandbox. */
  readonly isAlwaysPromised?: true;
  /** "home": requires a writable home directory. */
  readonly needs?: "perl" | "home";
}
