import type { Splice } from "./rewrite.ts";

/** A splice of `old` without the whole lines at its start and end that stay the same. */
export function trimLines(old: string, { start, end, text }: Splice): Splice {
  const shorter = Math.min(old.length, text.length);
  let head = 0;
  for (let at = 0; at < shorter && old.charCodeAt(at) === text.charCodeAt(at); at += 1) {
    if (old.charCodeAt(at) === 10) head = at + 1;
  }
  let tail = 0;
  const last = shorter - head;
  for (
    let at = 1;
    at <= last && old.charCodeAt(old.length - at) === text.charCodeAt(text.length - at);
    at += 1
  ) {
    if (old.charCodeAt(old.length - at) === 10) tail = at - 1;
  }
  return {
    start: start + Buffer.byteLength(old.slice(0, head)),
    end: end - Buffer.byteLength(old.slice(old.length - tail)),
    text: text.slice(head, text.length - tail),
  };
}
