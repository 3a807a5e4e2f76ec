import * as z from "zod/mini";
import type { Checkpoint } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../text/counted.ts";

export interface JournalCheckpointInput {
  readonly name?: string | undefined;
  readonly list?: boolean | undefined;
}

export interface JournalCheckpointData {
  readonly checkpoints: readonly Checkpoint[];
}

/** Gives this moment a name to come back to. */
export const journalCheckpoint: Tool<JournalCheckpointInput, JournalCheckpointData> = {
  name: "journal.checkpoint",
  summary:
    "Give this moment a name, so that journal.undo with `checkpoint` can bring the files back to it. Costs nothing: set " +
    "one before anything risky.",
  risk: "read",
  hints: { readOnly: false, destructive: false },
  input: z.strictObject({
    name: z.optional(
      z
        .string()
        .check(
          z.describe("A name that is not taken, such as before-refactoring; a numbered one if not given."),
        ),
    ),
    list: z.optional(z.boolean().check(z.describe("Instead: list the checkpoints there are, oldest first."))),
  }),
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
      text: `Set the checkpoint ${checkpoint.name}. Come back to it with journal.undo and \`checkpoint\`.`,
    };
  },
};

function describe({ name, at, callsSince }: Checkpoint): string {
  const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  return `${name}, ${time} UTC, ${counted(callsSince, "call")} changed something since`;
}
