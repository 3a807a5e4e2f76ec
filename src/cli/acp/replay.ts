import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { tryReadEntry } from "../../agent/records/read-entries.ts";
import type { SessionEntry } from "../../agent/records/session-entry.ts";
import type { Session } from "../../agent/session.ts";
import type { CallPart, UserMessage } from "../../models/message.ts";
import { showModelText } from "../session/activity.ts";
import { shapeOf } from "./call-shape.ts";
import { textContent } from "./tool-content.ts";

/**
 * Returns the updates that show a recorded conversation, oldest first. Unreadable entries are left out. `folder` is the one
 * that the editor shows.
 */
export async function replayOf(session: Session, folder: string): Promise<readonly SessionUpdate[]> {
  const { toolcrib: crib, id } = session;
  const definitions = await crib.definitions();
  const canonical = new Map(definitions.map((tool) => [tool.name, tool.canonical]));
  const calls = new Map<string, string>();
  return crib.conversations
    .entries(id)
    .flatMap((kept) => tryReadEntry(kept, id) ?? [])
    .flatMap((entry) => updatesOf(entry, { canonical, calls, workspace: folder }));
}

interface Known {
  /** Canonical names by the names that the model uses. */
  readonly canonical: ReadonlyMap<string, string>;
  /** The kinds of the calls so far, by id. */
  readonly calls: Map<string, string>;
  readonly workspace: string;
}

function updatesOf(entry: SessionEntry, known: Known): readonly SessionUpdate[] {
  switch (entry.kind) {
    case "user":
      // A notice is a message of Toolcrib to the model.
      return entry.source === "notice" ? [] : userUpdates(entry.message);
    case "reply":
      return entry.message.content.flatMap((part): readonly SessionUpdate[] => {
        if (part.type === "call") return [callUpdate(part, known)];
        const content = { type: "text" as const, text: showModelText(part.text) };
        if (content.text === "") return [];
        const sessionUpdate = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
        return [{ sessionUpdate, content }];
      });
    case "answer": {
      const { id, content, isError } = entry.answer;
      return [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: id,
          status: isError ? "failed" : "completed",
          content: textContent(content, known.calls.get(id) ?? "other"),
        },
      ];
    }
    default:
      return [];
  }
}

function userUpdates({ content }: UserMessage): readonly SessionUpdate[] {
  return content.map((part) => ({
    sessionUpdate: "user_message_chunk",
    content:
      part.type === "text"
        ? { type: "text", text: showModelText(part.text) }
        : { type: "image", data: part.base64, mimeType: part.mediaType },
  }));
}

function callUpdate({ id, name, input }: CallPart, { canonical, calls, workspace }: Known): SessionUpdate {
  const given = input.ok ? input.value : input.given;
  const shape = shapeOf({ name, canonical: canonical.get(name) ?? name, input: given }, workspace);
  calls.set(id, shape.kind);
  return { sessionUpdate: "tool_call", toolCallId: id, status: "pending", ...shape };
}
