import { ToolError } from "../../contract/error.ts";
import type { Selection } from "../../contract/history.ts";
import { parseTime } from "../../lib/clock.ts";
import { integer, string } from "../fields.ts";

/** Selects calls: one of these fields, or none. */
export interface SelectionFields {
  readonly call?: string | undefined;
  readonly last?: number | undefined;
  readonly checkpoint?: string | undefined;
  readonly since?: string | undefined;
}

export const selectionFields = {
  call: string("Id of a call or transaction, or call_a..call_b."),
  last: integer(1, 10_000, "So many of the latest."),
  checkpoint: string("Everything after it."),
  since: string("2026-11-15T09:30:00Z"),
};

/** What is wrong with the combination of fields; an empty field counts as absent. */
export function faultInSelection(
  fields: SelectionFields,
  others: readonly (readonly [string, unknown])[] = [],
): string | undefined {
  const { call, last, checkpoint, since } = fields;
  const given = [...Object.entries({ call, last, checkpoint, since }), ...others].filter(
    ([, value]) => value,
  );
  if (given.length < 2) return undefined;
  return `give one of ${given.map(([name]) => `\`${name}\``).join(", ")}, not several`;
}

/** The selection of the fields; undefined without any. */
export function toSelection({ call, last, checkpoint, since }: SelectionFields): Selection | undefined {
  if (call) return toCalls(call);
  if (last) return { kind: "last", count: last };
  if (checkpoint) return { kind: "checkpoint", name: checkpoint };
  return since ? { kind: "since", time: toTime(since) } : undefined;
}

function toCalls(text: string): Selection {
  const [first = "", last, ...more] = text.split("..").map((id) => id.trim());
  if (last === undefined || more.length > 0) return { kind: "calls", ids: [text.trim()] };
  return { kind: "range", first, last };
}

function toTime(text: string): number {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new ToolError("invalid-input", `"${text}" is no time`, {
    hint: "Write it as 2026-11-15T09:30:00Z, or 2026-11-15 09:30 in local time.",
  });
}
