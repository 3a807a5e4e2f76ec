import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Message } from "../../models/message.ts";
import { ModelError } from "../../models/model-error.ts";
import { quoteText } from "../approvals/show-request.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { printFailure } from "../report.ts";
import { ownOutputs, Screen } from "../session/screen.ts";
import { type Beginning, beginningOf } from "../session/session-options.ts";
import { isTerminal, onUnread, paint, remark } from "../terminal.ts";
import { completeChatLine, runChatCommand } from "./chat-commands.ts";
import { ChatSessions } from "./chat-sessions.ts";
import { type Keyboard, PipedKeyboard, TerminalKeyboard } from "./keyboard.ts";

/** `toolcrib chat`: turn after turn, until the person leaves. Gives the exit code. */
export async function chat(given: Arguments, begin?: Beginning): Promise<number> {
  const isAtTerminal = process.stdin.isTTY && isTerminal(2);
  const keyboard = isAtTerminal ? new TerminalKeyboard(completeChatLine) : new PipedKeyboard();
  // What is typed while the model works stands on the line that would be written again.
  const outputs = isAtTerminal ? { ...ownOutputs(), canRedraw: false } : ownOutputs();
  const room = new ChatSessions(given, new Screen(outputs), keyboard);
  try {
    await room.open(begin ?? (await beginningOf(given)));
    onUnread(() => room.leave());
    if (isAtTerminal) greet(room);
    await converse(room, keyboard);
    if (isAtTerminal && room.session.turns > 0)
      remark(`Go on later: toolcrib chat --resume ${room.session.id}\n`);
    await room.close();
    return isAtTerminal ? 0 : room.exitCode;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    printFailure(error);
    return 1;
  } finally {
    keyboard.close();
  }
}

async function converse(room: ChatSessions, keyboard: Keyboard): Promise<void> {
  for (;;) {
    const interruption = onInterruption();
    const input = await keyboard.read(interruption.signal);
    interruption.stop();
    if (input === undefined) return;
    if (input.trim() === "") continue;
    try {
      const goesOn = input.startsWith("/") ? await runChatCommand(room, input) : await room.turn(input);
      if (!goesOn) return;
    } catch (error) {
      if (!(error instanceof ToolError || error instanceof ModelError)) throw error;
      printFailure(error);
    }
  }
}

function greet({ session, screen }: ChatSessions): void {
  const { model, crib, messages } = session;
  const place = printableLine(`${model.id} in ${crib.workspace}`);
  screen.tell(`${place}, mode ${crib.mode}. /help shows the commands, Ctrl-D leaves.`);
  const said = lastWords(messages);
  if (said !== "")
    screen.tell(paint(2, "dim", `It said last:\n${quoteText(said, screen.outputs.columns()).join("\n")}`));
}

/** Where a session that is gone on with had stopped. */
function lastWords(messages: readonly Message[]): string {
  const reply = messages.findLast((message) => message.role === "assistant");
  const words = reply?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? "";
  return words.length <= maxLastChars ? words : `…${words.slice(-maxLastChars)}`;
}

const maxLastChars = 600;
