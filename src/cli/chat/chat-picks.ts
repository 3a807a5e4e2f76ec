import { ToolError } from "../../contract/error.ts";
import type { Choice } from "./chat-front.ts";
import type { ChatSessions } from "./chat-sessions.ts";
import { argumentsOf, inOneLine, switchTo } from "./session-commands.ts";

/** Returns the messages of the user, newest first, for `/edit`. */
export async function messageChoices(chat: ChatSessions): Promise<readonly Choice[]> {
  const inputs = await inputsOf(chat);
  return inputs
    .toReversed()
    .map(({ turn, text }) => ({ value: String(turn), label: `${turn}  ${inOneLine(text, 70)}` }));
}

/** `/edit N` forks the session before an earlier message of the user, which can then be sent changed. */
export async function editEarlier(chat: ChatSessions, number: string): Promise<string> {
  const inputs = await inputsOf(chat);
  const input = inputs.find(({ turn }) => String(turn) === number);
  if (input === undefined)
    throw new ToolError("invalid-input", "/edit takes the number of one of your messages", {
      hint: inputs.length === 0 ? "Send a message first." : `From 1 to ${inputs.length}: /edit 1`,
    });
  const { id } = chat.session;
  const { turn, text } = input;
  await switchTo(chat, turn > 1 ? { fork: { session: id, turn: turn - 1 } } : {});
  chat.front.prefill?.(text);
  return `A new session continues before message ${turn}. Files stay as they are now. The previous one: ${id}`;
}

interface Input {
  readonly turn: number;
  readonly text: string;
}

async function inputsOf(chat: ChatSessions): Promise<readonly Input[]> {
  const { id } = chat.session;
  const { withJournal } = await import("../log/log.ts");
  const { toTranscript } = await import("../../agent/records/export/transcript.ts");
  return withJournal(argumentsOf(chat), (journal) =>
    toTranscript(id, journal.conversations.entries(id)).turns.flatMap(({ number, items }) =>
      items.flatMap((item) =>
        item.kind === "user" && item.source === "input" ? [{ turn: number, text: item.text }] : [],
      ),
    ),
  );
}
