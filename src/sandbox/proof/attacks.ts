import { join } from "node:path";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { secretsCanBeRead, signalsPass } from "../landlock/rules.ts";
import { hidden, type Lab, processesWith, systemFiles } from "./lab.ts";

/** What commands must not be able to do, in the order in which people want to know it. */
export const attacks: readonly Attack[] = [
  {
    promise: "A key below the home directory cannot be read",
    script: ({ home }) => {
      const key = shellQuote(`${home}/.ssh/id_rsa`);
      return `cat ${key}; ln -s ${key} key; cat key; cat /proc/$PPID/root${key}`;
    },
    hasSucceeded: (lab, loot) => loot.includes(lab.canary),
  },
  {
    promise: "A secret in the workspace (.env) cannot be read",
    script: () => "cat .env; cp .env copied; mv .env moved; cat copied moved",
    hasSucceeded: (lab, loot) => loot.includes(lab.canary),
    gap: secretsCanBeRead,
  },
  {
    promise: "Our environment variables are not handed on",
    script: () => "env; cat /proc/self/environ",
    hasSucceeded: (lab, loot) => loot.includes(lab.canary),
    isAlwaysPromised: true,
  },
  {
    promise: "Variables and memory of other processes cannot be read",
    script: ({ victim }) =>
      `cat /proc/${victim.pid}/environ; exec 4< /proc/${victim.pid}/mem && ${tookPlace}; cat /proc/[0-9]*/environ`,
    hasSucceeded: (lab, loot) => loot.includes(lab.canary) || didTakePlace(lab, loot),
  },
  {
    promise: "What Toolcrib keeps can be neither read nor written",
    script: ({ state }) =>
      `cat ${shellQuote(join(state, "kept"))}; echo x > ${shellQuote(join(state, "new"))}`,
    hasSucceeded: ({ has, state, canary }, loot) => loot.includes(canary) || has(join(state, "new")),
  },
  {
    promise: "Nothing can be written to the home directory",
    script: ({ home, mark }) =>
      `echo x > ${shellQuote(`${home}/new`)}; echo x > ${shellQuote(`${home}/../.${mark}`)}`,
    hasSucceeded: ({ has, home, mark }) => has(join(home!, "new")) || has(join(home!, "..", `.${mark}`)),
  },
  {
    promise: "Nothing can be written elsewhere in the shared temporary directory",
    script: ({ outside }) =>
      `echo x > ${shellQuote(join(outside, "new"))}; echo x >> ${shellQuote(join(outside, "file"))}`,
    hasSucceeded: (lab) => lab.has(join(lab.outside, "new")) || isOutsideChanged(lab),
  },
  {
    promise: "Nothing can be written to the system",
    script: ({ mark }) =>
      systemFiles(mark)
        .map((path) => `echo x > ${path}`)
        .join("\n"),
    hasSucceeded: ({ has, mark }) => systemFiles(mark).some(has),
  },
  {
    promise: "Links do not lead out",
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
    promise: "The configuration of git cannot be changed",
    script: () =>
      "printf '[core]\\n\\tpager = evil\\n' >> .git/config; mv .git/config x; echo evil > .git/config",
    hasSucceeded: ({ read, workspace }) => read(join(workspace, ".git/config")).includes("evil"),
  },
  {
    promise: "Settings of agents and editors that are missing cannot be made",
    script: () =>
      "echo {} > .mcp.json; mkdir -p .claude .vscode; echo {} > .claude/settings.json; echo {} > .vscode/tasks.json",
    hasSucceeded: ({ has, workspace }) =>
      [".mcp.json", ".claude", ".vscode"].some((name) => has(join(workspace, name))),
  },
  {
    promise: "Servers of this machine cannot be reached by TCP or UDP",
    script: ({ ports }) =>
      `(exec 3<>/dev/tcp/127.0.0.1/${ports.tcp}); echo x > /dev/udp/127.0.0.1/${ports.udp}`,
    hasSucceeded: ({ visits }) => visits.tcp + visits.udp > 0,
  },
  {
    promise: "Unix sockets by path cannot be reached",
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
      perl(`print "took place" if syscall(${calls.ptrace}, 16, $ARGV[0] + 0, 0, 0) == 0`, victim.pid!),
    hasSucceeded: didTakePlace,
    needs: "perl",
  },
  {
    promise: "Other processes cannot be ended",
    script: ({ victim }) => `kill -9 ${victim.pid}`,
    hasSucceeded: async (lab) => !(await lab.isVictimAlive()),
    gap: signalsPass,
  },
  {
    promise: "No user namespace can be made",
    script: () => perl(`print "took place" if syscall(${calls.unshare}, 0x10000000) == 0`),
    hasSucceeded: didTakePlace,
    needs: "perl",
  },
  {
    promise: "Nothing can be mounted",
    script: () =>
      perl(
        `($n, $d, $t) = ("none", ".", "tmpfs"); print "took place" if syscall(${calls.mount}, $n, $d, $t, 0, 0) == 0; syscall(${calls.umount}, $d, 2)`,
      ),
    hasSucceeded: didTakePlace,
    needs: "perl",
  },
  {
    promise: "Nothing is left running when a command has ended",
    script: ({ seconds }) => `setsid sleep ${seconds} < /dev/null > /dev/null 2>&1 & disown; sleep 0.05`,
    hasSucceeded: ({ seconds }) => processesWith("sleep", seconds).length > 0,
    isAlwaysPromised: true,
  },
  {
    promise: "Nothing is left running that has hidden whose it is",
    script: ({ seconds }) =>
      `env -i PATH="$PATH" setsid sleep ${hidden(seconds)} < /dev/null > /dev/null 2>&1 & disown; sleep 0.05`,
    hasSucceeded: ({ seconds }) => processesWith("sleep", hidden(seconds)).length > 0,
  },
];

const tookPlace = "echo took place";

function didTakePlace(_: Lab, loot: string): boolean {
  return loot.includes("took place");
}

function isOutsideChanged({ read, outside }: Lab): boolean {
  return read(join(outside, "file")) !== "as it was\n";
}

function perl(script: string, ...words: readonly (string | number)[]): string {
  return ["perl", "-e", shellQuote(script), ...words.map((word) => shellQuote(String(word)))].join(" ");
}

const connect = "use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, ";

const calls =
  process.arch === "arm64"
    ? { ptrace: 117, unshare: 97, mount: 40, umount: 39 }
    : { ptrace: 101, unshare: 272, mount: 165, umount: 166 };

/** Something that a command must not be able to do, and how to find out whether it can. */
export interface Attack {
  /** What holds while it fails, as a sentence without a full stop. */
  readonly promise: string;
  /** A script for bash that starts in the workspace; what it prints is its loot. */
  readonly script: (lab: Lab) => string;
  /** Judged from outside, by what there is now. */
  readonly hasSucceeded: (lab: Lab, loot: string) => boolean | Promise<boolean>;
  /** The sentence with which a level says that it does not promise this. */
  readonly gap?: string;
  /** It is promised where there is no sandbox, too. */
  readonly isAlwaysPromised?: true;
  /** What the script cannot do without. */
  readonly needs?: "perl";
}
