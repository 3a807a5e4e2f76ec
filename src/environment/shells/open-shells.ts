import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ProcessStatus, ShellCommand, ShellHistory, Shells } from "../../contract/process.ts";
import { Session } from "./session.ts";
import { ShellsDirectory } from "./shells-directory.ts";
import { TmuxWindows } from "./tmux-windows.ts";

/** The call that uses them. */
export interface CallOfShells {
  readonly environment: Environment;
  /** Throws when the call is no longer what was judged: other commands may have had their turn since. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** Whose call it is, where several work in the room. */
  readonly caller?: object | undefined;
}

/** The shells of one room, by name. */
export interface ShellTable {
  /** The shells for one call: a shell that it starts is confined as its environment says. */
  forCall(call: CallOfShells): Shells;
  list(): readonly ProcessStatus[];
  /** The history of the living shell of a name; undefined when there is none. */
  past(name: string): ShellHistory | undefined;
  /** Ends a shell with all that runs in it. `not-found` names those that are there. */
  stop(name: string): Promise<void>;
  /** Ends the shells of a caller that leaves. */
  stopOf(caller: object): Promise<void>;
  close(): Promise<void>;
}

/** `tmux`: "auto" shows them in windows where tmux is there. */
export function openShells(options: { readonly tmux: "auto" | "never" }): ShellTable {
  const sessions = new Map<string, Session>();
  const owners = new WeakMap<Session, object>();
  let directory: ShellsDirectory | undefined;
  let windows: TmuxWindows | undefined;
  const places = {
    directory: () => (directory ??= new ShellsDirectory()),
    windows: () => {
      if (options.tmux === "auto") windows ??= new TmuxWindows(places.directory().windows);
      return windows;
    },
  };

  const run = (call: CallOfShells, name: string, command: ShellCommand) => {
    refuseOdd(name, command);
    const session = sessions.get(name) ?? begin(call, name);
    return session.run(call, command);
  };
  const begin = ({ caller }: CallOfShells, name: string) => {
    const session = new Session(name, places);
    sessions.set(name, session);
    if (caller) owners.set(session, caller);
    return session;
  };
  const end = async (name: string, session: Session) => {
    sessions.delete(name);
    await session.stop();
  };

  return {
    forCall: (call) => ({ run: async (name, command) => run(call, name, command) }),
    list: () => [...sessions.values()].flatMap((session) => session.status() ?? []),
    past: (name) => sessions.get(name)?.past(),
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

function refuseOdd(name: string, { command, env = {} }: ShellCommand): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new ToolError("invalid-input", `"${name}" cannot be the name of a session`, {
      hint: 'Use letters, digits, "-" and "_", at most 64.',
    });
  if (command.includes("\0"))
    throw new ToolError("invalid-input", "The command holds a NUL byte", { hint: "Leave it out." });
  const odd = Object.entries(env).find(
    ([variable, value]) => !/^[A-Za-z_]\w*$/.test(variable) || value.includes("\0"),
  );
  if (odd !== undefined)
    throw new ToolError("invalid-input", `${odd[0]} cannot be set as a variable`, {
      hint: "Names are letters, digits and _; values hold no NUL byte.",
    });
}

function noSession(name: string, there: readonly string[]): ToolError {
  const hint = there.length === 0 ? "There is none." : `There are: ${there.join(", ")}.`;
  return new ToolError("not-found", `No session is named ${name}`, { hint });
}
