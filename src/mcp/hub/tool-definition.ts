import type { ServerDefinition } from "../../contract/tool.ts";
import { hashValue } from "../../engine/approvals/hash-call.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import type { ListedTool } from "../types.ts";

/** Returns what a server says about a tool: its name, texts and hints, and the whole schema of its input. */
export function definitionOf({
  name,
  title,
  description,
  inputSchema,
  annotations,
}: ListedTool): ServerDefinition {
  const plain = isRecord(annotations) ? Object.entries(annotations).filter(([, hint]) => isPlain(hint)) : [];
  const said = {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(plain.length > 0 && { annotations: Object.fromEntries(plain) }),
    inputSchema,
  };
  return { hash: hashValue(said).slice(0, 32), text: () => `${linesOf(said, "").join("\n")}\n` };
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean";
}

/** Writes each value on a line after its path, and each line of a text on its own, so that a diff shows what differs. */
function linesOf(value: unknown, path: string): readonly string[] {
  if (typeof value === "string") return value.split("\n").map((line) => `${path}: ${JSON.stringify(line)}`);
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0)
    return [`${path}: ${JSON.stringify(value)}`];
  if (Array.isArray(value)) return value.flatMap((item, at) => linesOf(item, `${path}[${at}]`));
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, item]) => {
      const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key);
      return linesOf(item, path === "" ? name : `${path}.${name}`);
    });
}
