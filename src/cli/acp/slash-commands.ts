import { ToolError } from "../../contract/error.ts";
import type { Undone } from "../../contract/history.ts";
import { describeUndone } from "../../lib/text/describe-undone.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { type ReasoningEffort, reasoningEfforts } from "../../models/model.ts";
import { modes } from "../../policy/policy.ts";
import type { CallResult, ChangedFiles } from "../../toolcrib/index.ts";
import { formatUsage, grouped } from "../session/call-lines.ts";
import type { AcpSession } from "./acp-session.ts";
import { fenced } from "./fenced.ts";

/** A command that the user types in the editor. Returns Markdown to show; throws ToolError. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** The words to type after the name. */
  readonly hint?: string;
  run(chat: AcpSession, argument: string): Promise<string> | string;
}

export const slashCommands: readonly SlashCommand[] = [
  {
    name: "undo",
    description: "Undo the latest change of this session, or the latest N",
    hint: "[N]",
    run: undo,
  },
  {
    name: "diff",
    description: "Show what this session changed",
    run: async (chat) => {
      const changed = dataOf<ChangedFiles>(await chat.callForUser("journal.diff", {}));
      const diff = changed.files.map((file) => file.diff).join("");
      return diff === "" ? "No files were changed." : fenced(diff, "diff");
    },
  },
  {
    name: "mode",
    description: `Show or change what runs without approval: ${modes.join(", ")}, plan`,
    hint: "[MODE]",
    run: (chat, mode) => {
      if (mode !== "") chat.setMode(mode);
      return `The mode is ${chat.mode}.`;
    },
  },
  {
    name: "model",
    description: "Show or change the model",
    hint: "[PROVIDER/NAME]",
    run: async ({ session }, model) => {
      if (model !== "") await session.use({ model });
      return `The model is ${printableLine(session.model.id)}.`;
    },
  },
  {
    name: "reasoning",
    description: "Show or change the reasoning effort: low, medium, high",
    hint: "[EFFORT]",
    run: async ({ session }, effort) => {
      if (effort !== "" && !reasoningEfforts.includes(effort as ReasoningEffort))
        throw new ToolError("invalid-input", `/reasoning takes one of ${reasoningEfforts.join(", ")}`);
      if (effort !== "") await session.use({ reasoning: effort as ReasoningEffort });
      return `The reasoning effort is ${session.reasoning ?? "the model's default"}.`;
    },
  },
  {
    name: "compact",
    description: "Compact the conversation",
    run: async ({ session }) =>
      (await session.compact())
        ? "The conversation is compacted."
        : "The conversation cannot be compacted further.",
  },
  {
    name: "usage",
    description: "Show tokens, cost and the size of the context",
    run: ({ session: { usage, cost, context } }) => {
      const { tokens, window } = context;
      const size = window === null ? "" : ` of ${grouped(window)}`;
      return `${formatUsage({ usage, cost })}. Context: ${grouped(tokens)}${size} tokens.`;
    },
  },
];

async function undo(chat: AcpSession, count: string): Promise<string> {
  if (count !== "" && !/^[1-9]\d{0,3}$/.test(count))
    throw new ToolError("invalid-input", "/undo takes a number of changes", { hint: "For example: /undo 2" });
  const undone = dataOf<Undone>(
    await chat.callForUser("journal.undo", count === "" ? {} : { last: Number(count) }),
  );
  const text = describeUndone(undone, {});
  chat.note(`The user undid some of your changes with /undo. ${text}`);
  return printable(text);
}

function dataOf<Data>({ data, error }: CallResult): Data {
  if (error === null) return data as Data;
  const { code, message, hint, forUser } = error;
  throw new ToolError(code, message, { hint: hint ?? undefined, forUser });
}
