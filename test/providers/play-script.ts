import type { TokenUsage } from "../../src/models/model.ts";
import type { WireCall, WireReply } from "./protocol.ts";
import type { Fault, Oddity, ScriptedReply } from "./provider-server.ts";

interface Asked {
  readonly number: number;
  readonly model: string;
  readonly idPrefix: string;
  /** The size of the request, in characters. */
  readonly size: number;
  /** The tokens of the request, where the server models the provider's cache. */
  readonly counted?: Pick<TokenUsage, "input" | "cached" | "cacheWritten"> | undefined;
}

/** Fills in everything that a script leaves open. */
export function wireReply(
  scripted: ScriptedReply,
  { number, model, idPrefix, size, counted }: Asked,
): WireReply {
  const { fault } = scripted;
  const reply: ScriptedReply = fault === "empty" ? {} : scripted;
  const calls = (reply.calls ?? []).map(
    ({ id, name, input, raw }, index): WireCall => ({
      id: fault === "duplicate-ids" ? `${idPrefix}${number}` : (id ?? `${idPrefix}${number}_${index + 1}`),
      name,
      input,
      raw: fault === "empty-arguments" ? "" : raw,
    }),
  );
  const reasoning = tokensOf(reply.reasoning);
  const output = reasoning + tokensOf(reply.text) + tokensOf(calls.length > 0 ? JSON.stringify(calls) : "");
  return {
    number,
    model,
    reasoning: reply.reasoning,
    text: reply.text,
    calls,
    usage: {
      input: Math.ceil(size / 4),
      cached: 0,
      cacheWritten: 0,
      output,
      reasoning,
      ...counted,
      ...scripted.usage,
    },
    finish: reply.finish ?? (calls.length > 0 ? "calls" : "stop"),
    oddity: isOddity(fault) ? fault : undefined,
    isWhole: fault === undefined || !unfinished.has(fault),
    split: fault === "one-piece-arguments" ? (text) => [text] : inPieces,
  };
}

function tokensOf(text = ""): number {
  return Math.ceil(text.length / 4);
}

/** Splits text like models: a few characters at a time, none of them split. */
function inPieces(text: string): readonly string[] {
  return text.match(/.{1,16}/gsu) ?? [];
}

const unfinished: ReadonlySet<Fault> = new Set([
  ...(["cut-in-text", "cut-in-arguments", "end-in-text", "end-in-arguments"] as const),
  ...(["no-terminal-event", "hang-before", "hang-during", "error-event", "drop-before-headers"] as const),
]);

const oddities: Readonly<Record<Oddity, true>> = {
  "text-after-calls": true,
  "one-piece-arguments": true,
  "empty-arguments": true,
  "changing-item-ids": true,
  "index-from-one": true,
  "no-usage": true,
  "failed-reply": true,
  "redacted-reasoning": true,
  "start-twice": true,
  "no-ids": true,
  "blocked-prompt": true,
};

function isOddity(fault: Fault | undefined): fault is Oddity {
  return typeof fault === "string" && fault in oddities;
}
