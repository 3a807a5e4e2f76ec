import type { Arguments } from "../../command.ts";
import { readCount } from "../../parse-arguments.ts";
import type { Beginning } from "../session-options.ts";
import { findSession, nameSession } from "./find-session.ts";

/** `toolcrib sessions resume <session> [task]` */
export async function resumeSession({ options, operands: [word, ...task] }: Arguments): Promise<number> {
  const given = { options, operands: task };
  return goOn(given, { resume: await findSession(given, nameSession(word)) });
}

/** `toolcrib sessions fork <session> [task]` */
export async function forkSession({ options, operands: [word, ...task] }: Arguments): Promise<number> {
  const given = { options, operands: task };
  const session = await findSession(given, nameSession(word));
  return goOn(given, { fork: { session, turn: readCount(given, "turn") } });
}

/** With a task like `toolcrib run`; without, a person talks on, as by `toolcrib chat`. */
async function goOn(given: Arguments, begin: Beginning): Promise<number> {
  const isTalk = given.operands.length === 0 && process.stdin.isTTY;
  if (isTalk) return (await import("../chat/chat.ts")).chat(given, begin);
  return (await import("../run-task.ts")).runTask(given, begin);
}
