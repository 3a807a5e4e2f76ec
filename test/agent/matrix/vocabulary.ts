import type { ScriptedCall } from "../../providers/provider-server.ts";

/** How a model that was trained on one dialect makes the calls that every scenario needs. */
export interface Vocabulary {
  read(path: string): ScriptedCall;
  create(path: string, content: string): ScriptedCall;
  /** `find` is a whole line that occurs once in the file. */
  edit(path: string, find: string, replace: string): ScriptedCall;
  /** Changes one line in each of several files in one reply, in the dialect's usual form. */
  editMany(changes: readonly LineChange[]): readonly ScriptedCall[];
  shell(command: string): ScriptedCall;
  /** A command that runs longer than the model waits. */
  tooLong(command: string): ScriptedCall;
  grep(pattern: string): ScriptedCall;
  glob(pattern: string): ScriptedCall;
  /** Starts a subagent for a task. */
  spawn(task: string): ScriptedCall;
  /** Waits for the answer of the first subagent. */
  hearAgent(): ScriptedCall;
}

export interface LineChange {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
}
