import type { WebAnswer } from "../../contract/web.ts";
import { textOf } from "./answers.ts";

/** An answer in which the key is nowhere repeated, as it is or escaped: neither results nor errors show it then. */
export function withoutKey(answer: WebAnswer, key: string | undefined): WebAnswer {
  // A shorter one is no secret, and may be part of any word.
  if (key === undefined || key.length < 8) return answer;
  const spellings = new Set([key, encodeURIComponent(key), inJson(key), inJson(key).replaceAll("/", "\\/")]);
  const clear = (text: string) =>
    [...spellings].reduce((left, spelling) => left.replaceAll(spelling, "…"), text);
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, clear(value)]);
  const text = textOf(answer.body);
  const cleared = clear(text);
  const body = cleared === text ? answer.body : new TextEncoder().encode(cleared);
  return { ...answer, headers: Object.fromEntries(headers), body };
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
