import { isRecord } from "../../../lib/is-record.ts";
import type { Schema } from "./repair-schema.ts";

/**
 * Providers take no choice between whole inputs: what any of them may hold, the one input may hold, and it needs what all
 * of them need.
 */
export function joinChoices(root: Schema): Schema {
  const { anyOf, oneOf, allOf, ...own } = root;
  const of = (list: unknown) => (Array.isArray(list) ? list.filter(isRecord).map(joinChoices) : []);
  const all = [own as Schema, ...of(allOf)];
  const choices = [of(anyOf), of(oneOf)];
  const parts = [...all, ...choices.flat()];
  if (parts.length === 1) return own;
  const needed = [
    ...all.flatMap(requiredOf),
    ...choices.flatMap(([first = {}, ...others]) => {
      const lists = others.map((other) => new Set(requiredOf(other)));
      return requiredOf(first).filter((key) => lists.every((list) => list.has(key)));
    }),
  ];
  const objects = parts.filter(({ type, properties }) => type === "object" || properties !== undefined);
  const others = parts.filter(({ type }) => type !== undefined && type !== "object");
  const type = objects.length > 0 || others.length === 0 ? "object" : others[0]!.type;
  const required = [...new Set(needed)];
  return {
    ...own,
    type,
    properties: Object.assign({}, ...parts.toReversed().map(({ properties }) => properties)),
    ...(required.length > 0 && { required }),
    // What one of them forbids, another may hold.
    ...(own.additionalProperties === false && { additionalProperties: true }),
  };
}

function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required : [];
}
