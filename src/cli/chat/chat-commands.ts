import type { Session } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { type ReasoningEffort, reasoningEfforts } from "../../models/model.ts";
import { type Mode, modes } from "../../policy/policy.ts";
import type { CallResult, ChangedFiles } from "../../toolcrib/index.ts";
import { formatUsage, grouped } from "../session/call-lines.ts";
import { colourDiff, layTable } from "../terminal.ts";
import type { ChatSessions } from "./chat-sessions.ts";

/** What a line that begins with a slash does. */
interface ChatCommand {
  readonly name: string;
  readonly takes?: string;
  readonly summary: string;
  /** The only words it takes. */
  readonly choices?: readonly string[];
  /** Gives what to tell, "leave" to end the chat. Throws ToolError. */
  run(room: ChatSessions, word: string): Promise<string | undefined> | string | undefined;
}

const chatCommands: readonly ChatCommand[] = [
  {
    name: "help",
    summary: "what can be said here",
    run: () => explainChat(),
  },
  {
    name: "model",
    takes: "[PROVIDER/NAME]",
    summary: "which model answers; another from now on",
    run: async (room, word) => {
      if (word !== "") await room.whileBusy("opens the model", () => room.session.use({ model: word }));
      return word === "" ? `The model is ${printableLine(room.session.model.id)}.` : undefined;
    },
  },
  {
    name: "reasoning",
    takes: "[EFFORT]",
    choices: reasoningEfforts,
    summary: "how hard it thinks: low, medium, high",
    run: async ({ session }, word) => {
      if (word === "") return `Reasoning is ${session.reasoning ?? "as the model does by itself"}.`;
      await session.use({ reasoning: word as ReasoningEffort });
      return undefined;
    },
  },
  {
    name: "mode",
    takes: "[MODE]",
    choices: modes,
    summary: "what passes unasked, from the next call on: safe, cautious, paranoid, yolo",
    run: ({ session: { crib } }, word) => {
      if (word !== "") crib.setMode(word as Mode);
      return `The mode is ${crib.mode}.`;
    },
  },
  {
    name: "diff",
    summary: "what this session changed",
    run: async (room) => tellDiff(await room.callForPerson("journal.diff", {})),
  },
  {
    name: "undo",
    takes: "[N]",
    summary: "take back the latest change of this session, or the latest N; the model is told",
    run: undo,
  },
  {
    name: "compact",
    summary: "make the conversation shorter, to leave room for more",
    run: async (room) => {
      const isShorter = await room.whileBusy("makes the conversation shorter", () => room.session.compact());
      return isShorter ? undefined : "It cannot be made shorter.";
    },
  },
  {
    name: "usage",
    summary: "tokens, cost, and how full the context is",
    run: ({ session }) => tellSessionUse(session),
  },
  {
    name: "sessions",
    summary: "earlier ones in this folder",
    run: async ({ given, session }) => {
      const { listSessions } = await import("../session/stored-sessions.ts");
      await listSessions({ options: new Map([["workspace", session.crib.workspace]]), operands: [] });
      return given.options.has("resume") ? undefined : "Go on with one: toolcrib chat --resume SESSION";
    },
  },
  {
    name: "new",
    summary: "begin a new session; this one is kept",
    run: async (room) => {
      const { id, turns, model, reasoning, crib } = room.session;
      await room.open({});
      const { session } = room;
      // What the person has set in this chat holds for all of it.
      session.crib.setMode(crib.mode);
      if (model.id !== session.model.id || reasoning !== session.reasoning)
        await session.use({ model, ...(reasoning && { reasoning }) });
      const before = turns > 0 ? ` Go on with the one before: toolcrib chat --resume ${id}` : "";
      return `A new session: ${printableLine(model.id)}, mode ${crib.mode}.${before}`;
    },
  },
  { name: "exit", summary: "leave, as does Ctrl-D", run: () => "leave" },
];

/** Does what a line like `/mode safe` says. Whether the chat goes on. */
export async function runChatCommand(room: ChatSessions, line: string): Promise<boolean> {
  const [name = "", ...words] = line.slice(1).trim().split(/\s+/);
  const command = findChatCommand(name);
  const word = words.join(" ");
  checkWord(command, word);
  const told = await command.run(room, word);
  if (told === "leave") return false;
  if (told !== undefined) room.screen.tell(told);
  return true;
}

/** Completes commands, and what they take. */
export function completeChatLine(line: string): [readonly string[], string] {
  if (!line.startsWith("/")) return [[], line];
  const [name = "", word] = line.slice(1).split(/\s+/, 2);
  if (word === undefined)
    return [
      chatCommands.map((command) => `/${command.name}`).filter((known) => known.startsWith(line)),
      line,
    ];
  const { choices = [] } = chatCommands.find((command) => command.name === name) ?? {};
  return [choices.filter((choice) => choice.startsWith(word)), word];
}

function findChatCommand(name: string): ChatCommand {
  const names = chatCommands.map((command) => command.name);
  const meant = name === "quit" ? "exit" : name === "" ? "help" : name;
  const found = chatCommands.find((command) => command.name === meant);
  if (found) return found;
  const near = nearest(name, names);
  throw new ToolError("invalid-input", `There is no command /${printableLine(name)}`, {
    hint: `${near ? `Did you mean /${near}? ` : ""}/help shows all. To say it to the model, put a space before it.`,
  });
}

function checkWord({ name, takes, choices }: ChatCommand, word: string): void {
  const isWrong = choices !== undefined && word !== "" && !choices.includes(word);
  if (!isWrong && (word === "" || takes !== undefined)) return;
  const meant = choices && nearest(word, choices);
  throw new ToolError("invalid-input", `/${name} does not take "${printableLine(word)}"`, {
    hint: meant
      ? `Did you mean ${meant}?`
      : takes
        ? `It takes ${choices?.join(", ") ?? takes}.`
        : "It takes nothing.",
  });
}

function explainChat(): string {
  return [
    layTable(
      chatCommands.map(({ name, takes = "", summary }) => [`/${name} ${takes}`.trim(), summary]),
      "  ",
    ).trimEnd(),
    "",
    "A line that ends with \\ goes on in the next; what is pasted may have many lines.",
    "What you type while the model works is told to it after the calls it has just made: type it, then press Enter.",
    "Ctrl-C stops the turn; what was done stays done, see /diff and /undo.",
  ].join("\n");
}

async function undo(room: ChatSessions, word: string): Promise<string> {
  if (word !== "" && !/^[1-9]\d{0,3}$/.test(word))
    throw new ToolError("invalid-input", `/undo takes how many changes, not "${printableLine(word)}"`, {
      hint: "For example: /undo 2.",
    });
  const content = contentOf(
    await room.callForPerson("journal.undo", word === "" ? {} : { last: Number(word) }),
  );
  const done = content.replace(/\n?Take this back with journal\.undo.*$/m, "");
  room.note(`The person has undone changes of yours with /undo. ${done}`);
  return `${printable(done)}\nTake this back with: toolcrib redo`;
}

function tellDiff(result: CallResult): string {
  contentOf(result);
  const diff = (result.data as ChangedFiles).files.map((file) => file.diff).join("");
  return diff === "" ? "No files are changed." : colourDiff(2, printable(diff)).trimEnd();
}

/** Throws what went wrong. */
function contentOf({ content, error }: CallResult): string {
  if (error?.details?.kind === "unknown-tool")
    throw new ToolError("unsupported", "This session is held without the tools of the journal", {
      hint: "When it has ended: toolcrib diff, toolcrib undo.",
    });
  if (error)
    throw new ToolError(error.code, error.message, {
      hint: error.hint ?? undefined,
      forUser: error.forUser,
    });
  return content;
}

/** What a session has used so far, and how much room it has left. */
function tellSessionUse({ id, usage, cost, context, turns }: Session): string {
  const { tokens, window } = context;
  const share = window === null ? "" : ` of ${grouped(window)} (${Math.round((100 * tokens) / window)} %)`;
  return [
    `${id}: ${counted(turns, "turn")}, ${formatUsage({ usage, cost })}`,
    `Context: ${grouped(tokens)} tokens${share}`,
  ].join("\n");
}
