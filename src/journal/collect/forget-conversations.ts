import type { Journal } from "../journal.ts";
import { KeptConversations } from "../kept-conversations.ts";

/** Removes the conversations in which nothing was said since `oldest`, but for those of sessions that are open; how many. */
export function forgetConversations(journal: Journal, oldest: number): number {
  const conversations = new KeptConversations(journal);
  const old = conversations.list().filter(({ lastAt }) => lastAt < oldest);
  if (old.length === 0) return 0;
  const open = new Set(
    journal.sessions().flatMap(({ session, state }) => (state === "open" ? [session] : [])),
  );
  return old.filter(({ session }) => !open.has(session) && conversations.remove(session)).length;
}
