import { deflateSync, inflateSync } from "node:zlib";

/**
 * Repairs character maps of Google's programs, which contain ranges like <00ff> <0100>. PDFium, like the standard,
 * accepts only ranges with one first byte, and would read other letters. The maps are rewritten in place, with a range
 * for each first byte. A map that is not found, or is too long after the repair, stays unchanged.
 */
export function repairCharacterMaps(file: Uint8Array): void {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const wanted = mapsNamed(bytes);
  let left = maxInflated;
  if (wanted.size > 0)
    for (const start of objectsIn(bytes, wanted)) {
      if (left <= 0) return;
      left -= repair(bytes, start);
    }
}

const maxInflated = 8 * 1024 * 1024;
const maxMap = 256 * 1024;

/** Returns the object numbers of character maps. */
function mapsNamed(bytes: Buffer): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + key.length)) {
    const [, number] = /^\s+(\d{1,9})\s+\d+\s+R/.exec(latin(bytes, at + key.length, 40)) ?? [];
    if (number !== undefined) found.add(Number(number));
  }
  return found;
}

const key = "/ToUnicode";

/** Yields the positions after the beginnings of objects, such as "12 0 obj". */
function* objectsIn(bytes: Buffer, wanted: ReadonlySet<number>): Generator<number> {
  for (let at = bytes.indexOf("obj"); at >= 0; at = bytes.indexOf("obj", at + 3)) {
    const [, number] =
      /(?:^|\s)(\d{1,9})\s+\d+\s+$/.exec(latin(bytes, Math.max(0, at - 24), Math.min(at, 24))) ?? [];
    if (number !== undefined && wanted.has(Number(number))) yield at + 3;
  }
}

/** Repairs the map at a position. Returns about how many characters it read. */
function repair(bytes: Buffer, start: number): number {
  const [head, dictionary = ""] = /^\s*<<(.*?)>>\s*stream\r?\n/s.exec(latin(bytes, start, headChars)) ?? [];
  const isPacked = /\/Filter\s*\[?\s*\/FlateDecode\b/.test(dictionary);
  if (head === undefined || (!isPacked && dictionary.includes("/Filter"))) return headChars;
  const behind = bytes.subarray(start + head.length, start + head.length + maxMap);
  const length = /\/Length\s+(\d{1,9})(?!\s+\d+\s+R)\b/.exec(dictionary)?.[1];
  const end = length === undefined ? behind.indexOf("endstream") : Number(length);
  if (end < 0 || end > behind.length) return maxMap;
  const stream = behind.subarray(0, end);
  const text = isPacked ? inflated(stream) : stream.toString("latin1");
  if (text === undefined) return maxMap;
  const repaired = repairedMap(text);
  if (repaired !== undefined) write(stream, repaired, isPacked);
  return text.length + headChars;
}

const headChars = 1000;

function inflated(bytes: Uint8Array): string | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: maxMap }).toString("latin1");
  } catch {
    return undefined;
  }
}

/** Returns the repaired map; undefined for a correct one. */
function repairedMap(map: string): string | undefined {
  const lists: string[] = [];
  let wrongLists = 0;
  let from = 0;
  for (const { 0: ending, 1: kind = "", index } of map.matchAll(/end(codespacerange|bfchar|bfrange)\b/g)) {
    const piece = map.slice(from, index);
    from = index + ending.length;
    const begin = piece.lastIndexOf(`begin${kind}`);
    if (begin < 0) continue;
    const repaired =
      kind === "bfrange" && wrongLists < maxWrong ? repairedRanges(piece.slice(begin)) : undefined;
    if (repaired !== undefined) wrongLists += 1;
    const [count = ""] = /\d+\s+$/.exec(piece.slice(Math.max(0, begin - 12), begin)) ?? [];
    lists.push(repaired ?? count + piece.slice(begin) + ending);
  }
  return wrongLists > 0 ? `begincmap\n${lists.join("\n")}\nendcmap\n` : undefined;
}

/** Returns the repaired ranges, in lists of at most 100; undefined if no range is wrong. */
function repairedRanges(listed: string): string | undefined {
  const ranges = [...listed.matchAll(range)];
  const wrong = ranges.filter(([, first, last]) => isOverBorder(first!, last!)).length;
  if (wrong === 0 || wrong > maxWrong) return undefined;
  const entries = ranges.flatMap(([all, first, last, to]) =>
    isOverBorder(first!, last!) ? splitAtBorders(first!, last!, to!) : [all],
  );
  let lists = "";
  for (let at = 0; at < entries.length; at += 100) {
    const some = entries.slice(at, at + 100);
    lists += `${some.length} beginbfrange\n${some.join("\n")}\nendbfrange\n`;
  }
  return lists;
}

/** The most wrong ranges in one list, which has at most 100 entries. */
const maxWrong = 100;
const range = /<([0-9a-f]{3,4})>\s*<([0-9a-f]{3,4})>\s*(<[0-9a-f]{1,64}>|\[[^[\]]*\])/gi;

function isOverBorder(first: string, last: string): boolean {
  return Number.parseInt(first, 16) >> 8 < Number.parseInt(last, 16) >> 8;
}

function splitAtBorders(first: string, last: string, to: string): readonly string[] {
  const [low, high] = [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  const listed = to.startsWith("[") ? (to.match(/<[0-9a-f]*>/gi) ?? []) : undefined;
  const code = (number: number) => `<${number.toString(16).padStart(first.length, "0")}>`;
  const split: string[] = [];
  for (let start = low; start <= high; start = (start | 0xff) + 1) {
    const end = Math.min(start | 0xff, high);
    const target = listed
      ? `[${listed.slice(start - low, end - low + 1).join("")}]`
      : `<${later(to.slice(1, -1), start - low)}>`;
    split.push(`${code(start)} ${code(end)} ${target}`);
  }
  return split;
}

/** Increments the last character of a target. */
function later(target: string, by: number): string {
  const [kept, last] = [target.slice(0, -4), target.slice(-4)];
  return kept + (Number.parseInt(last, 16) + by).toString(16).padStart(last.length, "0").slice(-4);
}

/** Writes the map over the old one if it fits. It nearly always does, because the rest of the old map is omitted. */
function write(target: Buffer, map: string, isPacked: boolean): void {
  const bytes = isPacked ? deflateSync(map, { level: 9 }) : Buffer.from(map, "latin1");
  if (bytes.length <= target.length) target.fill(0x20).set(bytes);
}

function latin(bytes: Buffer, from: number, length: number): string {
  return bytes.toString("latin1", from, from + length);
}
