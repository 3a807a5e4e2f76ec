import type { Json } from "../json.ts";
import type { WireCall } from "../protocol.ts";

interface OnWire {
  readonly type: "function_call" | "custom_tool_call";
  readonly text: string;
}

/** A call in the API's format: by the type of its tool, with every field of a strict tool. */
export function onWire({ name, input, raw }: WireCall, tools: readonly Json[] = []): OnWire {
  const tool = tools.find((offered) => offered.name === name);
  if (tool?.type === "custom") return { type: "custom_tool_call", text: raw ?? freeText(input) };
  if (raw !== undefined || typeof input === "string")
    return { type: "function_call", text: raw ?? (input as string) };
  return {
    type: "function_call",
    text: JSON.stringify(tool?.strict ? whole(input, tool.parameters) : input),
  };
}

/** Scripts may name the field of a freeform tool, as other providers require. */
function freeText(input: unknown): string {
  return typeof input === "string" ? input : String(Object.values(input as object)[0]);
}

/** In strict mode the model writes null for missing values. */
function whole(input: unknown, schema: Json): unknown {
  if (Array.isArray(input)) return input.map((item) => whole(item, schema?.items));
  if (typeof input !== "object" || input === null || !schema?.properties) return input;
  const names = [...new Set([...Object.keys(schema.properties), ...Object.keys(input)])];
  return Object.fromEntries(
    names.map((name) => [name, whole((input as Json)[name] ?? null, schema.properties[name])]),
  );
}
