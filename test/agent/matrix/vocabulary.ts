import type { ScriptedCall } from "../../providers/provider-server.ts";

/** How a model that was trained on one dialect asks for what every scenario needs. */
export interface Vocabulary {
  read(path: string): ScriptedCall;
  create(path: string, content: string): ScriptedCall;
  /** `find` is a whole line that stands once in the file. */
  edit(path: string, find: string, replace: string): ScriptedCall;
  /** Several files in one reply, in the form that the dialect has for that; of each the line that becomes another. */
  editMany(changes: readonly LineChange[]): readonly ScriptedCall[];
  shell(command: string): ScriptedCall;
  /** A command that goes on for longer than the model waits. */
  tooLong(command: string): ScriptedCall;
  grep(pattern: string): ScriptedCall;
  glob(pattern: string): ScriptedCall;
  /** Another agent, for a task of its own. */
  spawn(task: string): ScriptedCall;
  /** The answer of the first that was spawned. */
  hearAgent(): ScriptedCall;
}

export interface LineChange {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
}
