import { readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { undefinedUnlessExhausted } from "../../../lib/exhaustion.ts";
import type { PrivateDirectories } from "../../../sandbox/private-directories.ts";
import { realPathOf } from "../../../sandbox/real-paths.ts";
import { askedCalls, askingProgram } from "../../../sandbox/seccomp/asking-program.ts";
import type { Architecture } from "../../../sandbox/seccomp/system-calls.ts";
import { makePrivateDirectory } from "../../../system/directories.ts";
import { perlProgram } from "../../../system/perl-program.ts";
import { type ChildProcess, outputOfProgram, startProgram } from "../../../system/start-program.ts";
import type { Shown } from "../visible.ts";

interface GitServiceOptions {
  readonly architecture: Architecture;
  /** Commands see its temporary directory as /tmp. */
  readonly privates: Pick<PrivateDirectories, "own" | "temporary">;
  /** The seccomp program of all commands. */
  readonly seccomp: Uint8Array;
  readonly findProgram: (name: string) => Promise<string>;
}

/** One command and its view of git. */
export interface GitView {
  /** The git directories that commands see read-only, and git can write. Real paths. */
  readonly guarded: readonly string[];
  /** Returns the program that runs `command` in the view; it reads `bubblewrapArguments` from descriptor 4. */
  launch(command: readonly string[]): { readonly file: string; readonly args: readonly string[] };
  readonly bubblewrapArguments: readonly string[];
  /** Prepares the mount points. Returns false on failure. */
  prepare(): boolean;
  /** Whether the mounts of bubblewrap are those that were planned. */
  isSound(bubblewrap: number): boolean;
}

/**
 * Runs the git of commands, which see the repositories of a workspace read-only. Instead of git they call git-shim.pl, and a
 * process outside (git-service.pl) runs git in a view where it can write them, and nothing else runs.
 */
export class GitService {
  readonly #options: GitServiceOptions;
  readonly #programs: Programs;
  readonly #folder: string;
  readonly #asking: Uint8Array;
  /** The view of commands shows these instead of git. */
  readonly #shims: readonly Shown[];
  #service: ChildProcess | undefined;
  readonly #waiting = new Map<string, (answer: string | undefined) => void>();
  readonly #views = new Map<string, GitView>();
  #commands = 0;

  /** Returns the service, or why it cannot run here. */
  static async open(options: GitServiceOptions): Promise<GitService | { readonly missing: string }> {
    try {
      return new GitService(options, await programsHere(options.findProgram));
    } catch (error) {
      undefinedUnlessExhausted(error);
      return { missing: (error as Error).message };
    }
  }

  private constructor(options: GitServiceOptions, programs: Programs) {
    const { architecture, privates } = options;
    this.#options = options;
    this.#programs = programs;
    this.#folder = join(privates.own, "git");
    this.#asking = askingProgram(architecture);
    makePrivateDirectory(this.#folder);
    const shim = this.#write("shim", gitProgram("git-shim.pl", architecture, programs.perl));
    this.#write("trampoline", gitProgram("git-trampoline.pl", architecture, programs.perl));
    this.#shims = [
      ...programs.covered.map((target) => ({ source: shim, target })),
      { source: programs.git, target: "/run/toolcrib/git" },
    ];
  }

  /** The view of git shows it instead of the shell. */
  get trampoline(): Shown {
    return { source: join(this.#folder, "trampoline"), target: this.#programs.shell };
  }

  /** Runs git once, and returns why that does not work here. */
  async prove(view: GitView): Promise<string | undefined> {
    const name = this.#plan(view);
    const answer = await this.#ask("prove", name);
    this.#views.delete(name);
    return answer === "ok" ? undefined : (answer ?? "its process ended.");
  }

  /** Begins to run the git of one command. `shown` is what the view of the command shows for it. */
  async begin(view: GitView): Promise<{ readonly shown: readonly Shown[]; end(): Promise<void> }> {
    const name = this.#plan(view);
    await this.#ask("open", name);
    return {
      shown: [...this.#shims, { source: join(this.#folder, name), target: "/run/toolcrib/socket" }],
      end: async () => {
        await this.#ask("close", name);
        this.#views.delete(name);
      },
    };
  }

  close(): void {
    this.#service?.stdin?.end();
  }

  /** Writes what the service must know about a view. Returns its name. */
  #plan(view: GitView): string {
    const name = `c${this.#commands++}`;
    const { architecture, privates, seccomp } = this.#options;
    const { perl, git, folder, shell } = this.#programs;
    const { file, args } = view.launch([perl, "-e", gitProgram("git-inside.pl", architecture)]);
    const plan = [
      ...[name, seccomp, this.#asking, git, folder, shell, privates.temporary, "/tmp"],
      `${view.bubblewrapArguments.join("\0")}\0`,
      ...list(view.guarded),
      ...list([file, ...args]),
    ];
    this.#write(`${name}.plan`, Buffer.concat(plan.flatMap(withLength)));
    this.#views.set(name, view);
    return name;
  }

  /** Returns the rest of the answer; undefined when the service has ended: then git fails in the sandbox, and changes nothing. */
  async #ask(verb: "open" | "prove" | "close", name: string): Promise<string | undefined> {
    const service = this.#running();
    const answer = new Promise<string | undefined>((resolve) => {
      this.#waiting.set(name, resolve);
    });
    service.ref();
    service.stdin?.write(`${verb} ${name}\n`);
    const text = await answer;
    if (this.#waiting.size === 0) service.unref();
    return text;
  }

  #answer(line: string): void {
    const [what = "", name = "", ...rest] = line.split(" ");
    const view = this.#views.get(name);
    if (what === "view" || what === "mounted") {
      const isSound =
        view !== undefined && (what === "view" ? view.prepare() : view.isSound(Number(rest[0])));
      this.#service?.stdin?.write(`${isSound ? "go" : "close"} ${name}\n`);
      if (isSound) return;
      rest.unshift("a path was replaced while its view was set up.");
    }
    this.#waiting.get(name)?.(rest.join(" "));
    this.#waiting.delete(name);
  }

  /** Returns the service, which is started for the first command. */
  #running(): ChildProcess {
    if (this.#service !== undefined && this.#service.exitCode === null && this.#service.signalCode === null)
      return this.#service;
    const { perl } = this.#programs;
    const service = startProgram(perl, ["-e", gitProgram("git-service.pl", this.#options.architecture)], {
      cwd: this.#folder,
      env: {},
      // Otherwise Ctrl-C in the terminal would end it.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const end = () => {
      for (const resolve of this.#waiting.values()) resolve(undefined);
      this.#waiting.clear();
    };
    service.once("error", end).once("close", end);
    service.stdin.on("error", () => {});
    createInterface({ input: service.stdout }).on("line", (line) => this.#answer(line));
    service.unref();
    // Pipes of child processes are sockets.
    for (const pipe of [service.stdin, service.stdout]) (pipe as unknown as Socket).unref();
    this.#service = service;
    return service;
  }

  #write(name: string, content: string | Uint8Array): string {
    const path = join(this.#folder, name);
    writeFileSync(path, content, { mode: 0o700 });
    return path;
  }
}

interface Programs {
  readonly perl: string;
  readonly git: string;
  /** The folder with git's further programs. */
  readonly folder: string;
  readonly shell: string;
  /** The paths of git that commands call. */
  readonly covered: readonly string[];
}

async function programsHere(find: GitServiceOptions["findProgram"]): Promise<Programs> {
  const perl = await find("perl").catch(() => undefined);
  if (perl === undefined) throw new Error("perl is not installed. Install it: `apt install perl-base`.");
  const git = realPathOf(await find("git"))!;
  const folder = (await outputOfProgram(git, ["--exec-path"], { env: {}, cwd: "/" })).trim();
  const inner = realPathOf(join(folder, "git"));
  const shell = realPathOf("/bin/sh");
  if (shell === undefined) throw new Error("there is no /bin/sh.");
  const covered = [...new Set([git, ...(inner === undefined ? [] : [inner])])];
  for (const path of [...covered, folder])
    if (!/^\/(?:usr|opt|nix|gnu)\//.test(path)) throw new Error(`${path} is not a directory of the system.`);
  if (!readFileSync(git).subarray(0, 4).equals(Buffer.from("\x7fELF", "latin1")))
    throw new Error(`${git} is a script.`);
  return { perl, git, folder, shell, covered };
}

/** The numbers of system calls on x64 and arm64. */
const numbers: Readonly<Record<string, readonly [number, number]>> = {
  sendmsg: [46, 211],
  recvmsg: [47, 212],
  close: [3, 57],
  dup3: [292, 24],
  fcntl: [72, 25],
  ppoll: [271, 73],
  prctl: [157, 167],
  capset: [126, 91],
  faccessat: [269, 48],
  seccomp: [317, 277],
  mount_setattr: [442, 442],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
};

/** Returns a program with the numbers of its system calls and what it shares with the others. */
export function gitProgram(name: string, architecture: Architecture, interpreter?: string): string {
  const known = new Map<string, number | undefined>();
  for (const [call, [x64, arm64]] of Object.entries(numbers))
    known.set(call, architecture === "x64" ? x64 : arm64);
  for (const [call, all] of askedCalls) known.set(call, all[architecture]);
  const entries = [...known].filter(([, number]) => number !== undefined);
  const table = entries.map(([call, number]) => `${call} => ${number}`).join(", ");
  const first = interpreter === undefined ? "" : `#!${interpreter}\n`;
  const shared = perlProgram("git-messages.pl", import.meta.url);
  return `${first}my %number = (${table});\n${shared}\n${perlProgram(name, import.meta.url)}`;
}

function list(strings: readonly string[]): readonly string[] {
  return [String(strings.length), ...strings];
}

function withLength(content: string | Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}
