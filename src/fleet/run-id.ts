import { contentHash } from "../lib/bytes/content-hash.ts";
import { isRecord } from "../lib/json/is-record.ts";
import type { RunSpec } from "./fleet.ts";

/** Returns the id of a run: the same spec has the same id on every machine, whatever the order of its fields. */
export function runId(spec: RunSpec): string {
  return `run_${contentHash(canonicalJson(spec)).slice(0, 20)}`;
}

/** Returns JSON with sorted keys and without fields that are undefined. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => {
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
