import * as z from "zod/mini";
import type { Checkpoint } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { flag } from "../fields.ts";

export interface JournalCheckpointData {
  readonly checkpoints: readonly Checkpoint[];
}

const input = z.strictObject({
  name: z.optional(z.string()),
  list: flag("List checkpoints instead."),
});

export const journalCheckpoint: Tool<z.infer<typeof input>, JournalCheckpointData> = {
  name: "journal.checkpoint",
  description: "Set a checkpoint that journal.undo can restore files to.",
  risk: "read",
  hints: { readOnly: false, destructive: false },
  input,
  limits: { maxChars: 10_000, keep: "tail" },
  accesses: () => [],

  async run({ name, list }, { history }) {
    if (list) {
      const checkpoints = await history.checkpoints();
      return {
        data: { checkpoints },
        text: checkpoints.map(describe).join("\n") || "There are no checkpoints.",
      };
    }
    const checkpoint = await history.setCheckpoint(name || undefined);
    return {
      data: { checkpoints: [checkpoint] },
      text: `Set checkpoint ${checkpoint.name}. Return to it with journal.undo and \`checkpoint\`.`,
    };
  },
};

function describe({ name, at, callsSince }: Checkpoint): string {
  const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  return `${name}, ${time} UTC, ${counted(callsSince, "call")} changed something since`;
}
