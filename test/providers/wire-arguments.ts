import { readArguments } from "../../src/wire/read-arguments.ts";
import type { WireCall } from "./protocol.ts";

/** The arguments of a call as text. */
export function argumentsOf({ raw, input }: WireCall): string {
  return raw ?? (typeof input === "string" ? input : JSON.stringify(input));
}

/** The arguments of a call as a client parses them; undefined unless they are exactly one object. */
export function inputOf(call: WireCall): object | undefined {
  const read = readArguments(argumentsOf(call));
  const isObject = read.ok && typeof read.value === "object" && !Array.isArray(read.value);
  return isObject ? (read.value ?? undefined) : undefined;
}
