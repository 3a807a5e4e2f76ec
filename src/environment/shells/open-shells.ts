import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ProcessStatus, ShellCommand, ShellHistory, Shells } from "../../contract/process.ts";
import { Session } from "./session.ts";
import { ShellsDirectory } from "./shells-directory.ts";
import { TmuxWindows } from "./tmux-windows.ts";

export interface ShellCall {
  readonly environment: Environment;
  /** Throws when the policy's decision no longer applies, because other commands may have run in between. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** The owner of a shell that this call starts. */
  readonly caller?: object | undefined;
}

/** The shells of one instance, by name. */
export interface ShellTable {
  /** Returns the shells for one call. A shell that it starts has the confinement of the call's environment. */
  forCall(call: ShellCall): Shells;
  list(): readonly ProcessStatus[];
  /** Returns the history of the running shell with this name; undefined when there is none. */
  history(name: string): ShellHistory | undefined;
  /** Stops a shell with all its processes. The `not-found` error lists the existing shells. */
  stop(name: string): Promise<void>;
  stopOf(caller: object): Promise<void>;
  close(): Promise<void>;
}

export interface ShellsOptions {
  /** "auto" shows the shells in windows if tmux is installed. */
  readonly tmux: "auto" | "never";
  /** The time until a program that ignores the end of its command is killed. Default: 2 s. */
  readonly graceMs?: number | undefined;
}

/** Opens an empty table. */
export function openShells(options: ShellsOptions): ShellTable {
  const sessions = new Map<string, Session>();
  const owners = new WeakMap<Session, object>();
  let directory: ShellsDirectory | undefined;
  let windows: TmuxWindows | undefined;
  const parts = {
    directory: () => (directory ??= new ShellsDirectory()),
    windows: () => {
      if (options.tmux === "auto") windows ??= new TmuxWindows(parts.directory().windows);
      return windows;
    },
    graceMs: options.graceMs,
  };

  const run = (call: ShellCall, name: string, command: ShellCommand) => {
    refuseInvalid(name, command);
    const session = sessions.get(name) ?? new Session(name, parts);
    if (!sessions.has(name) && call.caller) owners.set(session, call.caller);
    sessions.set(name, session);
    return session.run(call, command);
  };
  const end = async (name: string, session: Session) => {
    sessions.delete(name);
    await session.stop();
  };

  return {
    forCall: (call) => ({ run: async (name, command) => run(call, name, command) }),
    list: () => [...sessions.values()].flatMap((session) => session.status() ?? []),
    history: (name) => sessions.get(name)?.history(),
    async stop(name) {
      const session = sessions.get(name);
      if (session === undefined) throw noSession(name, [...sessions.keys()]);
      await end(name, session);
    },
    async stopOf(caller) {
      const theirs = [...sessions].filter(([, session]) => owners.get(session) === caller);
      await Promise.all(theirs.map(([name, session]) => end(name, session)));
    },
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.stop()));
      sessions.clear();
      await windows?.close();
      directory?.remove();
    },
  };
}

function refuseInvalid(name: string, { command, env = {} }: ShellCommand): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new ToolError("invalid-input", `"${name}" cannot be the name of a session`, {
      hint: 'Use letters, digits, "-" and "_", at most 64.',
    });
  if (command.includes("\0"))
    throw new ToolError("invalid-input", "The command contains a NUL byte", { hint: "Remove the NUL byte." });
  const invalid = Object.entries(env).find(
    ([variable, value]) => !/^[A-Za-z_]\w*$/.test(variable) || value.includes("\0"),
  );
  if (invalid !== undefined)
    throw new ToolError("invalid-input", `${invalid[0]} cannot be set as a variable`, {
      hint: "Use letters, digits and _ for names, and no NUL byte in values.",
    });
}

function noSession(name: string, existing: readonly string[]): ToolError {
  const hint =
    existing.length === 0
      ? "No session is open: leave out the name, or start one with shell.run."
      : `Use one of: ${existing.join(", ")}`;
  return new ToolError("not-found", `No session is named ${name}`, { hint });
}
