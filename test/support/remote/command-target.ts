import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { parseTarget, type Target } from "../../../src/environment/remote/target.ts";
import { shellQuote } from "../../../src/lib/text/shell-quote.ts";
import { bundledRipgrep } from "../../../src/system/find-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A `command:` target: this machine, with a home of its own, and with ripgrep, which takes 0.3 s to send. */
export interface CommandTarget extends AsyncDisposable {
  readonly target: Target;
  readonly home: string;
  /** The workspace on the target. */
  readonly workspace: string;
  /** The folder in which Toolcrib leaves its files. */
  readonly folder: string;
  /** Returns the id of the process that connects the client to its server, once there is one. */
  attachPid(): number | undefined;
}

/** `setup` are shell commands that run first, as login scripts do. `lacks` are programs that are not installed. */
export function commandTarget(setup = "", lacks: readonly string[] = []): CommandTarget {
  const folder = temporaryFolder();
  const home = join(folder.path, "home");
  const workspace = join(folder.path, "workspace");
  const pidFile = join(folder.path, "pid");
  for (const path of [home, workspace]) mkdirSync(path);
  const program = join(folder.path, "transport");
  const lines = [
    "#!/bin/sh",
    `export HOME=${shellQuote(home)} SHELL=/bin/sh`,
    "unset XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_HOME TOOLCRIB_HOME",
    // The PATH of a connection has no programs of this project.
    `PATH=${shellQuote(dirname(process.execPath))}:$PATH:${shellQuote(dirname(bundledRipgrep() ?? "/usr/bin/rg"))}`,
    setup,
    ...(lacks.length === 0
      ? []
      : [`PATH=${shellQuote(programsWithout(lacks, join(folder.path, "bin")))}; unset SHELL`]),
    // The process stays the same until it is `attach`.
    `echo $$ > ${shellQuote(pidFile)}`,
    'exec "$@"',
  ];
  writeFileSync(program, lines.join("\n"));
  chmodSync(program, 0o755);
  return {
    target: parseTarget(`command:${shellQuote(program)}`),
    ...{ home, workspace, folder: join(home, ".cache/toolcrib/remote") },
    attachPid: () => {
      try {
        return Number(readFileSync(pidFile, "utf8")) || undefined;
      } catch {
        return undefined;
      }
    },
    [Symbol.asyncDispose]: async () => {
      stopServers(home);
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Makes a folder with links to the programs of this machine, without some. */
export function programsWithout(lacks: readonly string[], folder: string): string {
  mkdirSync(folder);
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/bin"].filter(isAbsolute);
  const left = new Set(lacks);
  for (const directory of folders)
    for (const name of existsSync(directory) ? readdirSync(directory) : []) {
      if (left.has(name)) continue;
      left.add(name);
      symlinkSync(join(directory, name), join(folder, name));
    }
  return folder;
}

/** Kills the servers that a failed test has left. */
function stopServers(home: string): void {
  const processes = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  for (const line of processes) {
    const [, pid, args = ""] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    if (pid !== undefined && args.includes(`${home}/.cache/toolcrib/remote/servers/`))
      endProcess(Number(pid));
  }
}

/** Kills a process that may have ended meanwhile. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
