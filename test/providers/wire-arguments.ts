import type { WireCall } from "./protocol.ts";

/** The arguments of a call as text. */
export function argumentsOf({ raw, input }: WireCall): string {
  return raw ?? (typeof input === "string" ? input : JSON.stringify(input));
}

/** The arguments of a call as a client understands them; undefined where they are no object. */
export function inputOf(call: WireCall): object | undefined {
  const text = argumentsOf(call);
  try {
    const input: unknown = JSON.parse(text === "" ? "{}" : text);
    return typeof input === "object" && input !== null && !Array.isArray(input) ? input : undefined;
  } catch {
    return undefined;
  }
}
