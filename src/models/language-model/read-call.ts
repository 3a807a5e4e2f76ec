import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { readArguments, readFreeform, readStrict } from "../../wire/read-arguments.ts";
import type { CallPart } from "../message.ts";
import type { ModelEvent } from "../model.ts";
import type { ToolBox, ToolFormat } from "./to-tools.ts";

export interface Held {
  readonly event: ModelEvent;
  /** Whether it is a call that may have been cut, as only the end of the reply can tell. */
  readonly isDoubtful: boolean;
}

/** A call as the package hands it over: its arguments are read, or it is said why they cannot be. */
export function readCall(
  { toolCallId: id, toolName: name, input: given, providerMetadata: meta }: LanguageModelV4ToolCall,
  box: ToolBox,
  { isStrict }: ToolFormat,
): Held {
  const definition = box.find(name);
  const isFreeform = box.isFreeform(name);
  const read = isFreeform
    ? readFreeform(definition, { name, text: parsed(given) })
    : isStrict
      ? readStrict(definition, readArguments(given))
      : readArguments(given);
  const input = read.ok ? read : { ok: false as const, given, problem: read.problem };
  const call: CallPart = { type: "call", id, name, input, ...(meta && { meta }) };
  return { event: { type: "call", call }, isDoubtful: isFreeform || !read.ok || isNothing(given) };
}

/** Packages hand over a call that was cut before its arguments came as one without arguments. */
function isNothing(given: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(given);
}

/** The package hands over the text of custom calls as JSON. */
function parsed(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
