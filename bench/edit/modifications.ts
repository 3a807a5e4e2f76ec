import { createHash } from "node:crypto";
import { extname } from "node:path";
import { Random } from "../data/random.ts";
import { importPeer } from "../peers.ts";
import { type Change, type Document, parseDocument } from "./document.ts";
import { packageVersions, readPackage } from "./packages.ts";

/** A change that an author made to a real file. */
export interface Modification {
  readonly source: string;
  readonly path: string;
  readonly document: Document;
  readonly changes: readonly Change[];
}

const maxPerPackage = 90;
const maxPerLanguage = 260;

/** Changes between consecutive versions, single ones and several at once, balanced over languages and packages. */
export async function collectModifications(progress: (done: string) => void): Promise<Modification[]> {
  const { diffArrays } = (await importPeer("diff", "libesm/index.js")) as DiffModule;
  const random = new Random(20261115);
  const all: Modification[] = [];
  const seen = new Set<string>();
  for (const [name, versions] of Object.entries(packageVersions)) {
    const found: Modification[] = [];
    for (let index = 1; index < versions.length; index++) {
      progress(`${name} ${versions[index]}`);
      const before = readPackage(name, versions[index - 1]!);
      const after = readPackage(name, versions[index]!);
      for (const [path, bytes] of before) {
        const newBytes = after.get(path);
        if (!newBytes || bytes.equals(newBytes) || !isWorthReading(path, bytes, newBytes)) continue;
        const texts = [bytes, newBytes].map(readPlainText);
        if (texts[0] === undefined || texts[1] === undefined) continue;
        const changes = changesBetween(texts[0], texts[1], diffArrays);
        const source = `${name} ${versions[index - 1]} to ${versions[index]}`;
        for (const picked of pickChanges(changes, random)) {
          const print = fingerprint(picked);
          if (seen.has(print)) continue;
          seen.add(print);
          found.push({ source, path, document: parseDocument(texts[0]), changes: picked });
        }
      }
    }
    all.push(...shuffle(found, random).slice(0, maxPerPackage));
  }
  return limitLanguages(shuffle(all, random));
}

interface DiffModule {
  diffArrays(
    before: readonly string[],
    after: readonly string[],
    options: { maxEditLength: number },
  ): readonly { value: readonly string[]; added: boolean; removed: boolean }[] | undefined;
}

function isWorthReading(path: string, ...versions: readonly Uint8Array[]): boolean {
  if (/\.(map|min\.\w+|lock|tsbuildinfo|snap|svg)$|-lock\.json$/.test(path)) return false;
  return versions.every(({ length }) => length >= 300 && length <= 400_000);
}

/** Text with one kind of line end, converted to LF. The classes about line ends restore other ones. */
function readPlainText(bytes: Uint8Array): string | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const hasCrlf = text.includes("\r\n");
  if (hasCrlf && /[^\r]\n/.test(text)) return undefined;
  if (hasCrlf) text = text.replaceAll("\r\n", "\n");
  if (/[\r\0\ufeff\ufffd\uf8f0\u2028\u2029]/.test(text)) return undefined;
  return text.split("\n").some((line) => line.length > 1000) ? undefined : text;
}

function changesBetween(before: string, after: string, diffArrays: DiffModule["diffArrays"]): Change[] {
  if (before.endsWith("\n") !== after.endsWith("\n")) return [];
  const lines = [before, after].map((text) => [...parseDocument(text).lines]);
  const parts = diffArrays(lines[0]!, lines[1]!, { maxEditLength: 300 });
  const changes: Change[] = [];
  let at = 0;
  let open: { at: number; removed: string[]; added: string[] } | undefined;
  for (const { value, added, removed } of parts ?? []) {
    if (!added && !removed) open = undefined;
    else {
      if (!open) {
        open = { at, removed: [], added: [] };
        changes.push(open);
      }
      (added ? open.added : open.removed).push(...value);
    }
    if (!added) at += value.length;
  }
  return changes;
}

/** One change alone, and two to four together: the rest of the file stays unchanged. */
function pickChanges(changes: readonly Change[], random: Random): Change[][] {
  const small = changes.filter(
    ({ removed, added }) =>
      removed.length <= 25 && added.length <= 25 && hasSubstance([...removed, ...added]),
  );
  if (small.length === 0) return [];
  const picked = [[random.pick(small)]];
  if (small.length > 1) {
    const several = shuffle([...small], random).slice(0, 2 + random.below(3));
    picked.push(several.sort((a, b) => a.at - b.at));
  }
  return picked;
}

function hasSubstance(lines: readonly string[]): boolean {
  return lines.some((line) => /\w{3}/.test(line));
}

/** The same change in two builds of a package, or in every language file, counts once. */
function fingerprint(changes: readonly Change[]): string {
  const keys = changes.map(({ removed, added }) => [
    removed.map((l) => l.trim()),
    added.map((l) => l.trim()),
  ]);
  const withoutVersions = JSON.stringify(keys).replace(/\d+\.\d+\.\d+/g, "0");
  return createHash("sha256").update(withoutVersions).digest("base64");
}

function limitLanguages(modifications: readonly Modification[]): Modification[] {
  const counts = new Map<string, number>();
  return modifications.filter(({ path }) => {
    const language = extname(path);
    const count = (counts.get(language) ?? 0) + 1;
    counts.set(language, count);
    return count <= maxPerLanguage;
  });
}

export function shuffle<Item>(items: Item[], random: Random): Item[] {
  for (let index = items.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    [items[index], items[other]] = [items[other]!, items[index]!];
  }
  return items;
}
