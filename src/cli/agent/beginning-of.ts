import type { Arguments } from "../command.ts";
import type { Beginning } from "./session-options.ts";

/** What `--resume` asks for. */
export async function beginningOf(given: Arguments): Promise<Beginning> {
  const word = given.options.get("resume");
  if (word === undefined) return {};
  const { findSession } = await import("./sessions/find-session.ts");
  return { resume: await findSession(given, word) };
}
