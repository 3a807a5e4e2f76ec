import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { type ReasoningEffort, reasoningEfforts } from "../../models/model.ts";
import { policyModes } from "../../policy/policy.ts";
import { redo, setCheckpoint, showDiff, undo } from "../chat/change-commands.ts";
import { showContext } from "../chat/report-commands.ts";
import { formatUsage } from "../session/call-lines.ts";
import type { AcpSession } from "./acp-session.ts";
import { fenced } from "./tool-content.ts";

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
    description: "Undo changes of this session",
    hint: "[N | PATH [HUNK] | to CHECKPOINT]",
    run: async (chat, argument) => fenced(await undo(chat, argument)),
  },
  { name: "redo", description: "Revert the latest undo", run: async (chat) => fenced(await redo(chat)) },
  {
    name: "diff",
    description: "Show what this session changed",
    hint: "[PATH]",
    run: async (chat, path) => fenced(await showDiff(chat, path), "diff"),
  },
  {
    name: "checkpoint",
    description: "Set a checkpoint for undo, or list them",
    hint: "[NAME | list]",
    run: async (chat, name) => fenced(await setCheckpoint(chat, name)),
  },
  {
    name: "mode",
    description: `Show or change what runs without approval: ${policyModes.join(", ")}, plan`,
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
    name: "context",
    description: "Show what fills the context window",
    run: (chat) => fenced(showContext(chat)),
  },
  {
    name: "usage",
    description: "Show tokens and cost",
    run: ({ session: { usage, cost } }) => `${formatUsage({ usage, cost })}.`,
  },
];
