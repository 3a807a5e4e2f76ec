import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Message } from "../../models/message.ts";
import { ModelError } from "../../models/model-error.ts";
import { quoteText } from "../approvals/show-request.ts";
import type { Arguments } from "../command.ts";
import { interruptible } from "../interruption.ts";
import { printFailure, remarkFewDescriptors } from "../report.ts";
import { ownOutputs, Screen } from "../session/screen.ts";
import { type SessionStart, sessionStartOf } from "../session/session-options.ts";
import { isTerminal, onOutputClosed, paint, remark } from "../terminal.ts";
import { completeChatLine, runChatCommand } from "./chat-commands.ts";
import { ChatSessions } from "./chat-sessions.ts";
import { type Keyboard, PipedKeyboard, TerminalKeyboard } from "./keyboard.ts";

/** Runs `toolcrib chat`: turns until the user leaves. Returns the exit code. */
export async function chat(given: Arguments, start?: SessionStart): Promise<number> {
  const isAtTerminal = process.stdin.isTTY && isTerminal(2);
  const keyboard = isAtTerminal ? new TerminalKeyboard(completeChatLine) : new PipedKeyboard();
  // The live line would overwrite what the user types while the model works.
  const outputs = isAtTerminal ? { ...ownOutputs(), canRedraw: false } : ownOutputs();
  const sessions = new ChatSessions(given, new Screen(outputs), keyboard);
  try {
    await sessions.open(start ?? (await sessionStartOf(given)));
    remarkFewDescriptors();
    onOutputClosed(() => sessions.leave());
    if (isAtTerminal) greet(sessions);
    await converse(sessions, keyboard);
    if (isAtTerminal && sessions.session.turns > 0)
      remark(`To continue: toolcrib chat --resume ${sessions.session.id}\n`);
    await sessions.close();
    return isAtTerminal ? 0 : sessions.exitCode;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    printFailure(error);
    return 1;
  } finally {
    keyboard.close();
  }
}

async function converse(sessions: ChatSessions, keyboard: Keyboard): Promise<void> {
  for (;;) {
    const input = await interruptible((signal) => keyboard.read(signal));
    if (input === undefined) return;
    if (input.trim() === "") continue;
    try {
      const isCommand = input.startsWith("/");
      const continues = isCommand ? await runChatCommand(sessions, input) : await sessions.turn(input);
      if (!continues) return;
    } catch (error) {
      if (!(error instanceof ToolError || error instanceof ModelError)) throw error;
      printFailure(error);
    }
  }
}

function greet({ session, screen }: ChatSessions): void {
  const { model, crib, messages } = session;
  const where = printableLine(`${model.id} in ${crib.workspace}`);
  screen.showLine(`${where}, mode ${crib.mode}. Type /help for commands, Ctrl-D to leave.`);
  const reply = lastReply(messages);
  if (reply !== "")
    screen.showLine(paint(2, "dim", `Last reply:\n${quoteText(reply, screen.outputs.columns()).join("\n")}`));
}

/** Returns the end of the last reply of a resumed session. */
function lastReply(messages: readonly Message[]): string {
  const reply = messages.findLast((message) => message.role === "assistant");
  const text = reply?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? "";
  return text.length <= maxLastChars ? text : `…${text.slice(-maxLastChars)}`;
}

const maxLastChars = 600;
