import { ToolError } from "../../contract/error.ts";
import type { WebAnswer } from "../../contract/web.ts";
import { isRecord } from "../../lib/is-record.ts";

/** The list of objects at a place of an answer in JSON. Throws where there is none. */
export function listAt(answer: WebAnswer, path: readonly string[], engine: string): readonly JsonObject[] {
  const found = valueAt(parseJson(answer), path);
  if (Array.isArray(found)) return found.filter(isRecord);
  throw unknownForm(engine, `has no list at ${path.join(".")}`);
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** What stands at a place of an answer in JSON; undefined where there is nothing. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    value,
  );
}

/** Undefined for what is no JSON. */
export function parseJson({ body }: WebAnswer): unknown {
  try {
    return JSON.parse(textOf(body));
  } catch {
    return undefined;
  }
}

export function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/** An engine that has changed, or something else that answers in its place. */
export function unknownForm(engine: string, why: string): ToolError {
  return new ToolError("unavailable", `${engine} gave an answer that cannot be read: it ${why}`, {
    hint: "Check the address in TOOLCRIB_SEARCH, or set another engine there.",
  });
}
