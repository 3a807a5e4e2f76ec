import type * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Selection } from "../../contract/history.ts";
import { parseTime } from "../../lib/clock.ts";
import { integer, string } from "../fields.ts";

export const selectionFields = {
  call: string("Id of a call or transaction, or a range call_a..call_b."),
  last: integer(1, 10_000, "Number of latest calls."),
  checkpoint: string("All calls after this checkpoint."),
  since: string("2026-11-15T09:30:00Z"),
};

/** Fields that select calls. At most one may be given. */
export type SelectionFields = z.infer<z.ZodMiniObject<typeof selectionFields>>;

/** Describes a wrong combination of fields. An empty field counts as absent. */
export function faultInSelection(
  fields: SelectionFields,
  others: readonly (readonly [string, unknown])[] = [],
): string | undefined {
  const { call, last, checkpoint, since } = fields;
  const given = [...Object.entries({ call, last, checkpoint, since }), ...others].filter(
    ([, value]) => value,
  );
  if (given.length < 2) return undefined;
  return `give only one of ${given.map(([name]) => `\`${name}\``).join(", ")}`;
}

/** Converts the fields to a selection; undefined if none is given. */
export function toSelection({ call, last, checkpoint, since }: SelectionFields): Selection | undefined {
  if (call) return toCalls(call);
  if (last) return { kind: "last", count: last };
  if (checkpoint) return { kind: "checkpoint", name: checkpoint };
  return since ? { kind: "since", time: toTime(since) } : undefined;
}

function toCalls(text: string): Selection {
  const [first = "", last, ...more] = text.split("..").map((id) => id.trim());
  if (last === undefined || more.length > 0) return { kind: "calls", ids: text.trim().split(/[\s,]+/) };
  return { kind: "range", first, last };
}

function toTime(text: string): number {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new ToolError("invalid-input", `"${text}" is not a time`, {
    hint: "Write it as 2026-11-15T09:30:00Z, or 2026-11-15 09:30 in local time.",
  });
}
