import { ToolError } from "../../contract/error.ts";
import type { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { placeName } from "../options.ts";

/** Returns the session of this id, or the only one that begins with it; undefined when there is none. */
export function matchSession(known: readonly string[], name: string): string | undefined {
  if (known.includes(name)) return name;
  if (name.replace(/^session_/, "").length < minimumChars || "session_".startsWith(name))
    throw new ToolError("invalid-input", `"${name}" is too short for a session id`, {
      hint: "Add letters after session_, or find the id with: toolcrib sessions list",
    });
  const matching = [
    ...new Set(known.filter((id) => id.startsWith(name) || id.startsWith(`session_${name}`))),
  ];
  if (matching.length < 2) return matching[0];
  throw new ToolError("invalid-input", `${matching.length} sessions begin with "${name}"`, {
    hint: `Add letters of the id: ${matching.slice(0, 5).join(", ")}`,
  });
}

/** A shorter beginning of an id may be a typo. */
const minimumChars = 2;

/** Returns the ids of all sessions of a workspace: conversations, MCP clients, commands and programs. */
export function knownSessions(journal: WorkspaceJournal): readonly string[] {
  return [...journal.conversations.list(), ...journal.sessions()].map(({ session }) => session);
}

export function noSuchSession(name: string, { workspace }: Pick<WorkspaceJournal, "workspace">): ToolError {
  return new ToolError("not-found", `No session of ${placeName(workspace)} has the id "${name}"`, {
    hint: `To list the sessions, run: toolcrib sessions list`,
  });
}
