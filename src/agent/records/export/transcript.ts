import type { ConversationEntry } from "../../../contract/conversations.ts";
import type { ToolImage } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { printable } from "../../../lib/text/printable.ts";
import type { CallInput, Message } from "../../../models/message.ts";
import { tryReadEntry } from "../read-entries.ts";
import type { StartEntry } from "../restore.ts";
import type { SessionEntry, UserSource } from "../session-entry.ts";

/** A session for reading. Terminal control characters in its texts are made visible. */
export interface Transcript {
  readonly session: string;
  /** Undefined when the beginning is lost. */
  readonly start: StartEntry | undefined;
  readonly startedAt: number;
  readonly turns: readonly TranscriptTurn[];
}

export interface TranscriptTurn {
  readonly number: number;
  readonly startedAt: number;
  readonly items: readonly TranscriptItem[];
}

export type TranscriptItem =
  | {
      readonly kind: "user";
      readonly source: UserSource;
      readonly text: string;
      readonly images: readonly ToolImage[];
    }
  | { readonly kind: "reasoning" | "text"; readonly model: string; readonly text: string }
  | TranscriptCall
  | { readonly kind: "note"; readonly text: string };

export interface TranscriptCall {
  readonly kind: "call";
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly text: string }[];
  answer:
    | { readonly text: string; readonly isError: boolean; readonly images: readonly ToolImage[] }
    | undefined;
}

export const headings: Readonly<Record<UserSource, string>> = {
  input: "User",
  "follow-up": "User, following up",
  steering: "User, during the turn",
  notice: "Notice to the model",
};

/** Returns names and values of the facts that a transcript shows. `format` makes a value safe for the document. */
export function factsOf(
  { start }: Transcript,
  format: (text: string) => string,
): readonly (readonly [string, string])[] {
  const unknown = "unknown";
  const parent = start?.parent;
  return [
    ["Model", format(start?.model ?? unknown)],
    ["Dialect", format(start?.dialect ?? unknown)],
    ["Workspace", format(start?.workspace ?? unknown)],
    ...(parent ? [["Forked from", `${format(parent.session)}, after turn ${parent.turn}`] as const] : []),
  ];
}

export function toTranscript(session: string, kept: readonly ConversationEntry[]): Transcript {
  const turns: { number: number; startedAt: number; items: TranscriptItem[] }[] = [];
  const calls = new Map<string, TranscriptCall>();
  let start: StartEntry | undefined;
  const add = (at: number, ...items: readonly TranscriptItem[]) => {
    if (turns.length === 0) turns.push({ number: 0, startedAt: at, items: [] });
    turns.at(-1)!.items.push(...items);
  };
  for (const { number, at, entry } of kept) {
    const read = tryReadEntry({ number, at, entry }, session);
    if (read === undefined) add(at, note(`Entry ${number} is damaged.`));
    else if (read.kind === "start") start = read;
    else if (read.kind === "answer") {
      const { id, name, content, isError, images } = read.answer;
      const answer = { text: printable(content), isError, images };
      const call = calls.get(id);
      if (call === undefined) add(at, { kind: "call", name: printable(name), arguments: [], answer });
      else call.answer ??= answer;
    } else {
      if (read.kind === "user" && read.turn !== turns.at(-1)?.number)
        turns.push({ number: read.turn, startedAt: at, items: [] });
      add(at, ...itemsOf(read, calls));
    }
  }
  return { session, start, startedAt: kept[0]?.at ?? 0, turns };
}

function itemsOf(entry: SessionEntry, calls: Map<string, TranscriptCall>): readonly TranscriptItem[] {
  switch (entry.kind) {
    case "user":
      return [{ kind: "user", source: entry.source, ...contentOf(entry.message) }];
    case "reply":
      return entry.message.content.flatMap((part): TranscriptItem[] => {
        if (part.type !== "call") {
          const text = printable(part.text);
          return text.trim() === "" ? [] : [{ kind: part.type, model: printable(entry.message.model), text }];
        }
        const call: TranscriptCall = {
          kind: "call",
          name: printable(part.name),
          arguments: describeInput(part.input),
          answer: undefined,
        };
        calls.set(part.id, call);
        return [call];
      });
    case "cleared": {
      const { answers, tokensBefore, tokensAfter } = entry;
      const what = counted(answers.length, "old output");
      return [note(`Cleared ${what}: from about ${tokensBefore} to ${counted(tokensAfter, "token")}.`)];
    }
    case "compacted":
      return [note(`Compacted from about ${entry.tokensBefore} to ${counted(entry.tokensAfter, "token")}.`)];
    case "change": {
      const { model, reasoning } = entry;
      const parts = [
        ...(model === undefined ? [] : [`model ${model}`]),
        ...(reasoning === undefined ? [] : [`reasoning ${reasoning ?? "default"}`]),
      ];
      return [note(`Changed to ${parts.join(", ")}.`)];
    }
    case "turn-end": {
      const { outcome, error } = entry.result;
      const reason = error ? `: ${error.message.replace(/\.$/, "")}` : "";
      return outcome === "completed" ? [] : [note(`The turn ended: ${outcome}${reason}.`)];
    }
    default:
      return [];
  }
}

function contentOf({ content }: Extract<Message, { role: "user" }>) {
  return {
    text: printable(content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")),
    images: content.filter((part) => part.type === "image"),
  };
}

/** Shows strings as they are, and everything else as JSON. */
function describeInput(input: CallInput): TranscriptCall["arguments"] {
  if (!input.ok) return [{ name: "unreadable arguments", text: printable(input.given) }];
  const { value } = input;
  const fields = isRecord(value) ? Object.entries(value) : [["input", value] as const];
  return fields.map(([name, field]) => ({
    name: printable(name),
    text: printable(typeof field === "string" ? field : (JSON.stringify(field) ?? "")),
  }));
}

function note(text: string): TranscriptItem {
  return { kind: "note", text: printable(text) };
}
