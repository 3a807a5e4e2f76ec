import { ToolError } from "../../contract/error.ts";
import { commandsOnTarget } from "../../lib/text/commands-on-target.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Message } from "../../models/message.ts";
import { ModelError } from "../../models/model-error.ts";
import { quoteText } from "../approvals/show-request.ts";
import type { Arguments } from "../command.ts";
import { screenSettings } from "../config/with-config.ts";
import { printFailure, remarkFewDescriptors } from "../report.ts";
import { type SessionStart, sessionStartOf } from "../session/session-options.ts";
import { canRedraw, columnsOf, isAsciiLocale, onOutputClosed, paint, remark } from "../terminal.ts";
import { runChatInput } from "./chat-commands.ts";
import type { ChatFront } from "./chat-front.ts";
import { ChatSessions } from "./chat-sessions.ts";
import { LineFront } from "./line-front.ts";

/** Runs `toolcrib chat`: turns until the user leaves. Returns the exit code. */
export async function chat(given: Arguments, start?: SessionStart): Promise<number> {
  const front = await openFront(given);
  const demo = given.options.has("demo") ? await newDemo() : undefined;
  const openDemo = demo && (() => demo.open({ approve: front.approve, client: { kind: "chat" } }));
  const sessions = new ChatSessions(given, front, openDemo);
  try {
    await sessions.open(start ?? (await chosenStart(given, front)));
    remarkFewDescriptors();
    onOutputClosed(() => sessions.leave());
    if (front.isInteractive) greet(sessions);
    if (demo) {
      front.showLine("The model is a recording; the tools are real. Afterwards try /diff, /undo and /redo.");
      front.submit(demo.task);
    }
    await converse(sessions);
    const { id, turns } = sessions.session;
    await sessions.close();
    await front.close();
    const next = demo
      ? "set up a model: toolcrib models"
      : commandsOnTarget(`continue: toolcrib chat --resume ${id}`, given.options.get("target"));
    if (front.isInteractive && turns > 0) remark(`To ${next}\n`);
    return front.isInteractive ? 0 : sessions.exitCode;
  } catch (error) {
    await front.close();
    if (!(error instanceof ModelError)) throw error;
    printFailure(error);
    return 1;
  } finally {
    demo?.remove();
  }
}

async function newDemo() {
  const { Demo } = await import("../session/demo.ts");
  return new Demo();
}

/** A screen needs a terminal that can move the cursor and show lines and dots. */
async function openFront(given: Arguments): Promise<ChatFront> {
  const { theme, notifications } = await screenSettings(given);
  // Everything that paints respects this variable.
  if (theme === "none") process.env.NO_COLOR = "1";
  const hasScreen = process.stdin.isTTY && canRedraw(1) && canRedraw(2) && !isAsciiLocale();
  if (!hasScreen || given.options.has("plain")) return new LineFront(given);
  const { TuiFront } = await import("./tui/tui-front.ts");
  return new TuiFront(given, notifications);
}

/** Reads --resume and --pick. */
async function chosenStart(given: Arguments, front: ChatFront): Promise<SessionStart> {
  if (!given.options.has("pick")) return sessionStartOf(given);
  if (front.pick === undefined)
    throw new ToolError("unsupported", "--pick needs a terminal with a screen", {
      hint: "List the sessions with: toolcrib sessions. Then use: toolcrib chat --resume SESSION",
    });
  const { sessionChoices, storedSessions } = await import("./session-commands.ts");
  const choices = sessionChoices(await storedSessions(given));
  const resume =
    choices.length === 0 ? undefined : await front.pick({ title: "Continue a session", choices });
  return resume === undefined ? {} : { resume };
}

async function converse(sessions: ChatSessions): Promise<void> {
  for (;;) {
    const input = await sessions.front.read();
    if (input === undefined) return;
    if (input.trim() === "") continue;
    try {
      if (!(await runChatInput(sessions, input))) return;
    } catch (error) {
      if (!(error instanceof ToolError || error instanceof ModelError)) throw error;
      printFailure(error);
    }
  }
}

function greet({ session, front }: ChatSessions): void {
  const { model, toolcrib: crib, messages } = session;
  const where = printableLine(`${model.id} in ${crib.target ?? crib.workspace}`);
  const mode = session.isPlanning ? `${crib.mode}, plan mode` : crib.mode;
  front.showLine(`${where}, mode ${mode}. Type /help for commands, Ctrl-D to leave.`);
  const reply = lastReply(messages);
  if (reply !== "")
    front.showLine(paint(2, "dim", `Last reply:\n${quoteText(reply, columnsOf(2)).join("\n")}`));
}

/** Returns the end of the last reply of a resumed session. */
function lastReply(messages: readonly Message[]): string {
  const reply = messages.findLast((message) => message.role === "assistant");
  const text = reply?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? "";
  return text.length <= maxLastChars ? text : `…${text.slice(-maxLastChars)}`;
}

const maxLastChars = 600;
