import type { Session } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { type ReasoningEffort, reasoningEfforts } from "../../models/model.ts";
import { type PolicyMode, policyModes } from "../../policy/policy.ts";
import {
  broughtCommands,
  customMessage,
  listCustomCommands,
  listSkills,
} from "../session/custom-commands.ts";
import { layTable } from "../terminal.ts";
import { browseDiff, redo, runUserCommand, setCheckpoint, undo } from "./change-commands.ts";
import type { Choice } from "./chat-front.ts";
import { editEarlier, messageChoices } from "./chat-picks.ts";
import type { ChatSessions } from "./chat-sessions.ts";
import {
  exportChat,
  showAgents,
  showConfig,
  showContext,
  showCost,
  showDoctor,
  showServers,
} from "./report-commands.ts";
import {
  changeModel,
  fork,
  modelChoices,
  otherSessions,
  plan,
  resume,
  sessionChoices,
  startNew,
} from "./session-commands.ts";

/** A command that starts with a slash. */
export interface ChatCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly takes?: string;
  /** A verb phrase of at most eight words. */
  readonly summary: string;
  readonly choices?: readonly string[];
  /** The arguments to choose from, for a screen that can show a list. */
  readonly picks?: (chat: ChatSessions) => Promise<readonly Choice[]>;
  /** Returns the text to show, or "leave" to end the chat. Throws ToolError. */
  run(chat: ChatSessions, argument: string): Promise<string | undefined> | string | undefined;
}

export const chatCommands: readonly ChatCommand[] = [
  { name: "help", summary: "list these commands", run: () => explainChat() },
  {
    name: "model",
    takes: "[PROVIDER/NAME]",
    summary: "list models, or change the model",
    picks: modelChoices,
    run: changeModel,
  },
  {
    name: "reasoning",
    takes: `[${reasoningEfforts.join("|")}]`,
    choices: reasoningEfforts,
    summary: "show or change the reasoning effort",
    run: async ({ session }, effort) => {
      if (effort === "") return `The reasoning effort is ${session.reasoning ?? "the model's default"}.`;
      await session.use({ reasoning: effort.toLowerCase() as ReasoningEffort });
      return undefined;
    },
  },
  {
    name: "mode",
    takes: `[${policyModes.join("|")}]`,
    choices: policyModes,
    summary: "show or change what runs without approval",
    run: ({ session: { toolcrib: crib } }, mode) => {
      if (mode !== "") crib.setMode(mode.toLowerCase() as PolicyMode);
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
  { name: "diff", takes: "[PATH]", summary: "show changes, and undo single ones", run: browseDiff },
  {
    name: "undo",
    takes: "[N | PATH [HUNK] | to CHECKPOINT]",
    summary: "undo changes of this session",
    run: undo,
  },
  { name: "redo", summary: "revert the latest undo", run: redo },
  {
    name: "checkpoint",
    takes: "[NAME | list]",
    summary: "set a checkpoint for undo, or list them",
    run: setCheckpoint,
  },
  {
    name: "compact",
    summary: "compact the conversation",
    run: async (chat) => {
      const isShorter = await chat.whileBusy("compacting the conversation", () => chat.session.compact());
      return isShorter ? undefined : "The conversation cannot be compacted further.";
    },
  },
  { name: "context", summary: "show what fills the context window", run: showContext },
  { name: "cost", aliases: ["usage"], summary: "show tokens and cost", run: showCost },
  { name: "agents", summary: "show the subagents and their state", run: showAgents },
  { name: "mcp", takes: "[SERVER]", summary: "show MCP servers, or reconnect one", run: showServers },
  { name: "export", takes: "[FILE]", summary: "save as Markdown, HTML or JSONL", run: exportChat },
  { name: "config", summary: "show the settings in effect", run: showConfig },
  { name: "doctor", summary: "check the installation and suggest fixes", run: showDoctor },
  {
    name: "resume",
    aliases: ["sessions"],
    takes: "[SESSION | WORDS]",
    summary: "find and continue another session",
    picks: async (chat) => sessionChoices(await otherSessions(chat, "")),
    run: resume,
  },
  { name: "fork", takes: "[TURN]", summary: "continue from a turn in a new session", run: fork },
  {
    name: "edit",
    takes: "[N]",
    summary: "edit your message N, in a new session",
    picks: messageChoices,
    run: editEarlier,
  },
  { name: "new", summary: "start a new session; this one stays recorded", run: startNew },
  {
    name: "remember",
    takes: "TEXT",
    summary: "append a note to AGENTS.md",
    run: async (chat, text) => (await import("./remember.ts")).remember(chat, text),
  },
  { name: "commands", summary: "list your and the project's commands", run: listCustomCommands },
  { name: "skills", summary: "list your and the project's skills", run: listSkills },
  { name: "exit", aliases: ["quit"], summary: "leave the chat, like Ctrl-D", run: () => "leave" },
];

/** Runs one input: `/command`, `!command`, or a message to the model. Returns false when the chat ends. */
export async function runChatInput(chat: ChatSessions, input: string): Promise<boolean> {
  if (input.startsWith("/")) return runChatCommand(chat, input);
  if (!input.startsWith("!")) return chat.turn(input);
  await runUserCommand(chat, input.slice(1).trim());
  return true;
}

/** Runs a line like `/mode safe`. Returns false when the chat ends. */
async function runChatCommand(chat: ChatSessions, line: string): Promise<boolean> {
  const [name = "", ...words] = line.slice(1).trim().split(/\s+/);
  const isBuiltIn = chatCommands.some((each) => each.name === name || each.aliases?.includes(name));
  const message = isBuiltIn ? undefined : await customMessage(chat.session, line);
  if (message !== undefined) return chat.turn(message);
  const command = findChatCommand(name);
  const argument = words.join(" ");
  checkArgument(command, argument);
  const { picks } = command;
  const picked =
    argument === "" && picks && chat.front.pick ? await pick(chat, command.name, picks) : argument;
  if (picked === undefined) return true;
  const shown = await command.run(chat, picked);
  if (shown === "leave") return false;
  if (shown !== undefined) chat.front.showLine(shown);
  return true;
}

async function pick(
  chat: ChatSessions,
  name: string,
  picks: NonNullable<ChatCommand["picks"]>,
): Promise<string | undefined> {
  const choices = await picks(chat);
  return choices.length === 0 ? "" : chat.front.pick?.({ title: `/${name}`, choices });
}

/** Returns the commands and skills of the user and the project, to complete them. */
export async function customChoices(session: Session): Promise<readonly Choice[]> {
  const commands = await broughtCommands(session);
  return commands.map(({ name, takes, description }) => toChoice(name, takes, description));
}

/** Completes commands and their arguments. Returns the choices and the text that they replace. */
export function completeChatLine(line: string, custom: readonly Choice[] = []): [readonly Choice[], string] {
  if (!line.startsWith("/")) return [[], line];
  const [name = "", word] = line.slice(1).split(/\s+/, 2);
  if (word === undefined) {
    const builtIn = chatCommands.map(({ name, takes = "", summary }) => toChoice(name, takes, summary));
    const names = new Set(builtIn.map(({ value }) => value));
    const all = [...builtIn, ...custom.filter(({ value }) => !names.has(value))];
    return [all.filter(({ value }) => value.startsWith(line)), line];
  }
  const { choices = [] } = chatCommands.find((command) => command.name === name) ?? {};
  const found = choices.filter((choice) => choice.startsWith(word));
  return [found.map((choice) => ({ value: choice, label: choice })), word];
}

function toChoice(name: string, takes: string, summary: string): Choice {
  return { value: `/${name}`, label: `/${name} ${takes}`.trim(), description: summary };
}

function findChatCommand(name: string): ChatCommand {
  const wanted = name === "" ? "help" : name;
  const found = chatCommands.find((command) => command.name === wanted || command.aliases?.includes(wanted));
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
    "!COMMAND runs a command for you, and the model learns about it. @PATH adds a file to a message.",
    "End a line with \\ to continue it; pasted text may have several lines.",
    "A line typed while the model works is sent to it after its current calls.",
    "Ctrl-C stops the turn and keeps its changes: see /diff and /undo.",
  ].join("\n");
}
