import { ToolError } from "../../../contract/error.ts";
import type { WorkspaceJournal } from "../../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../../command.ts";
import { atDesk } from "../../log/desk.ts";

/** The id of the session that a person means: by `last`, or by a beginning of it that no other has. */
export function findSession(given: Arguments, word: string): Promise<string> {
  return atDesk(given, (desk) => sessionMeant(desk, word));
}

/** A session has to be named. */
export function nameSession(word: string | undefined): string {
  if (word !== undefined) return word;
  throw new ToolError("invalid-input", "Name a session", {
    hint: "Their ids stand in: toolcrib sessions list. The latest is last.",
  });
}

/** So much of an id is no slip. */
const shortestBeginning = 2;

function sayMore(word: string): ToolError {
  return new ToolError("invalid-input", `"${word}" is too little of an id`, {
    hint: "Ids stand in: toolcrib sessions list. Give some letters after session_; the latest is last.",
  });
}

export function sessionMeant(desk: WorkspaceJournal, word: string): string {
  const known = desk.conversations.list().map(({ session }) => session);
  const [latest] = known;
  if (word === "last" && latest !== undefined) return latest;
  if (known.includes(word)) return word;
  if (word.replace(/^session_/, "").length < shortestBeginning || "session_".startsWith(word))
    throw sayMore(word);
  const fitting = known.filter((id) => id.startsWith(word) || id.startsWith(`session_${word}`));
  const [found, ...others] = fitting;
  if (found === undefined)
    throw new ToolError("not-found", `No session here has the id "${word}"`, {
      hint: "See which there are: toolcrib sessions list. Each belongs to the folder that it was held in.",
    });
  if (others.length === 0) return found;
  throw new ToolError("invalid-input", `${fitting.length} sessions begin with "${word}"`, {
    hint: `Give more of the id: ${fitting.slice(0, 5).join(", ")}.`,
  });
}
