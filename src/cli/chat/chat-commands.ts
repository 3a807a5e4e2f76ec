import type { Session } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { Undone } from "../../contract/history.ts";
import { describeUndone } from "../../lib/text/describe-undone.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { type ReasoningEffort, reasoningEfforts } from "../../models/model.ts";
import { type Mode, modes } from "../../policy/policy.ts";
import type { CallResult, ChangedFiles } from "../../toolcrib/index.ts";
import { formatUsage, grouped } from "../session/call-lines.ts";
import { colourDiff, layTable } from "../terminal.ts";
import { undoForUser } from "../undo-for-user.ts";
import type { ChatSessions } from "./chat-sessions.ts";

/** A command that starts with a slash. */
interface ChatCommand {
  readonly name: string;
  readonly takes?: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  /** Returns the text to show, or "leave" to end the chat. Throws ToolError. */
  run(chat: ChatSessions, argument: string): Promise<string | undefined> | string | undefined;
}

const chatCommands: readonly ChatCommand[] = [
  {
    name: "help",
    summary: "list these commands",
    run: () => explainChat(),
  },
  {
    name: "model",
    takes: "[PROVIDER/NAME]",
    summary: "show or change the model",
    run: async (chat, model) => {
      if (model === "") return `The model is ${printableLine(chat.session.model.id)}.`;
      await chat.whileBusy("opening the model", () => chat.session.use({ model }));
      return undefined;
    },
  },
  {
    name: "reasoning",
    takes: "[EFFORT]",
    choices: reasoningEfforts,
    summary: "show or change the reasoning effort: low, medium, high",
    run: async ({ session }, effort) => {
      if (effort === "") return `The reasoning effort is ${session.reasoning ?? "the model's default"}.`;
      await session.use({ reasoning: effort.toLowerCase() as ReasoningEffort });
      return undefined;
    },
  },
  {
    name: "mode",
    takes: "[MODE]",
    choices: modes,
    summary: "show or change what runs without approval: safe, cautious, paranoid, yolo",
    run: ({ session: { crib } }, mode) => {
      if (mode !== "") crib.setMode(mode as Mode);
      return `The mode is ${crib.mode}.`;
    },
  },
  {
    name: "plan",
    takes: "[on|accept|off]",
    choices: ["on", "accept", "off"],
    summary: "only read and plan, until you accept",
    run: plan,
  },
  {
    name: "diff",
    summary: "show what this session changed",
    run: async (chat) => formatDiff(await chat.callForUser("journal.diff", {})),
  },
  {
    name: "undo",
    takes: "[N]",
    summary: "undo the latest change of this session, or the latest N; the model is informed",
    run: undo,
  },
  {
    name: "compact",
    summary: "compact the conversation",
    run: async (chat) => {
      const isShorter = await chat.whileBusy("compacting the conversation", () => chat.session.compact());
      return isShorter ? undefined : "The conversation cannot be compacted further.";
    },
  },
  {
    name: "usage",
    summary: "show tokens, cost and the size of the context",
    run: ({ session }) => formatSessionUse(session),
  },
  {
    name: "sessions",
    summary: "list the sessions of this folder",
    run: async ({ given, session }) => {
      const { listSessions } = await import("../session/stored-sessions.ts");
      await listSessions({ options: new Map([["workspace", session.crib.workspace]]), operands: [] });
      return given.options.has("resume") ? undefined : "To continue one: toolcrib chat --resume SESSION";
    },
  },
  {
    name: "new",
    summary: "start a new session; this one stays recorded",
    run: async (chat) => {
      const { id, turns, model, reasoning, crib } = chat.session;
      await chat.open({});
      const { session } = chat;
      // The user's settings apply to the whole chat.
      session.crib.setMode(crib.mode);
      if (model.id !== session.model.id || reasoning !== session.reasoning)
        await session.use({ model, reasoning });
      const before = turns > 0 ? ` To continue the previous one: toolcrib chat --resume ${id}` : "";
      return `New session: ${printableLine(model.id)}, mode ${crib.mode}.${before}`;
    },
  },
  { name: "exit", summary: "leave the chat, like Ctrl-D", run: () => "leave" },
];

/** Runs a line like `/mode safe`. Returns false when the chat ends. */
export async function runChatCommand(chat: ChatSessions, line: string): Promise<boolean> {
  const [name = "", ...words] = line.slice(1).trim().split(/\s+/);
  const command = findChatCommand(name);
  const argument = words.join(" ");
  checkArgument(command, argument);
  const shown = await command.run(chat, argument);
  if (shown === "leave") return false;
  if (shown !== undefined) chat.front.showLine(shown);
  return true;
}

/** Completes commands and their arguments. */
export function completeChatLine(line: string): [readonly string[], string] {
  if (!line.startsWith("/")) return [[], line];
  const [name = "", word] = line.slice(1).split(/\s+/, 2);
  const names = chatCommands.map((command) => `/${command.name}`);
  if (word === undefined) return [names.filter((known) => known.startsWith(line)), line];
  const { choices = [] } = chatCommands.find((command) => command.name === name) ?? {};
  return [choices.filter((choice) => choice.startsWith(word)), word];
}

function findChatCommand(name: string): ChatCommand {
  const wanted = name === "quit" ? "exit" : name === "" ? "help" : name;
  const found = chatCommands.find((command) => command.name === wanted);
  if (found) return found;
  const near = nearest(
    name,
    chatCommands.map((command) => command.name),
  );
  throw new ToolError("invalid-input", `Unknown command: /${printableLine(name)}`, {
    hint: near
      ? `Did you mean /${near}?`
      : "List the commands with /help, or put a space before the line to send it to the model.",
  });
}

function checkArgument({ name, takes, choices }: ChatCommand, argument: string): void {
  const isWrong = choices !== undefined && argument !== "" && !choices.includes(argument.toLowerCase());
  if (!isWrong && (argument === "" || takes !== undefined)) return;
  const near = choices && nearest(argument, choices);
  const expected = takes ? `one of ${choices?.join(", ") ?? takes}` : "no argument";
  throw new ToolError("invalid-input", `/${name} takes ${expected}, not "${printableLine(argument)}"`, {
    hint: near ? `Did you mean ${near}?` : "See: /help",
  });
}

function explainChat(): string {
  return [
    layTable(
      chatCommands.map(({ name, takes = "", summary }) => [`/${name} ${takes}`.trim(), summary]),
      "  ",
    ).trimEnd(),
    "",
    "End a line with \\ to continue it; pasted text may have several lines.",
    "A line typed while the model works is sent to it after its current calls.",
    "Ctrl-C stops the turn and keeps its changes: see /diff and /undo.",
  ].join("\n");
}

/** `/plan` begins plan mode; `/plan accept` ends it and lets the model carry out its plan. */
async function plan(chat: ChatSessions, step: string): Promise<string | undefined> {
  const { session } = chat;
  const wasPlanning = session.isPlanning;
  session.setPlanning(step === "" || step === "on");
  if (session.isPlanning)
    return "Plan mode is on: the model can only read. Describe the task; /plan accept carries out its plan.";
  if (step === "off") return "Plan mode is off.";
  if (!wasPlanning)
    throw new ToolError("invalid-input", "Plan mode is not on", { hint: "To plan first: /plan" });
  return (await chat.turn("I accept the plan. Carry it out.")) ? undefined : "leave";
}

async function undo(chat: ChatSessions, count: string): Promise<string> {
  if (count !== "" && !/^[1-9]\d{0,3}$/.test(count))
    throw new ToolError("invalid-input", `/undo takes a number of changes, not "${printableLine(count)}"`, {
      hint: "For example: /undo 2",
    });
  const input = count === "" ? {} : { last: Number(count) };
  const result = await chat.callForUser("journal.undo", input);
  contentOf(result);
  const undone = result.data as Undone;
  chat.note(`The user undid some of your changes with /undo. ${describeUndone(undone, {})}`);
  return printable(undoForUser(undone, {})).trimEnd();
}

function formatDiff(result: CallResult): string {
  contentOf(result);
  const diff = (result.data as ChangedFiles).files.map((file) => file.diff).join("");
  return diff === "" ? "No files were changed." : colourDiff(2, printable(diff)).trimEnd();
}

/** Returns the content of a call. Throws the call's error. */
function contentOf({ content, error }: CallResult): string {
  if (error?.details?.kind === "unknown-tool")
    throw new ToolError("unsupported", "This session has no journal tools", {
      hint: "After the session, use: toolcrib diff, toolcrib undo",
    });
  if (error)
    throw new ToolError(error.code, error.message, {
      hint: error.hint ?? undefined,
      forUser: error.forUser,
    });
  return content;
}

function formatSessionUse({ id, usage, cost, context, turns }: Session): string {
  const { tokens, window } = context;
  const share = window === null ? "" : ` of ${grouped(window)} (${Math.round((100 * tokens) / window)} %)`;
  return [
    `${id}: ${counted(turns, "turn")}, ${formatUsage({ usage, cost })}`,
    `Context: ${grouped(tokens)} tokens${share}`,
  ].join("\n");
}
