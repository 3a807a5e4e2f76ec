import type { CentralFile, CentralWanted, OutlinedSymbol } from "../../contract/code.ts";
import { fileRoles } from "../../lib/file-roles.ts";
import { getOrMake } from "../get-or-make.ts";
import { indexedSymbol } from "../index/query/find-symbols.ts";
import { filterFiles } from "../index/query/path-filter.ts";
import type { WordFile, WordIndex } from "../index/query/word-index.ts";
import { termsOf } from "./terms.ts";

/** Returns the files and symbols that most others use, most central first. Uses are found by name. */
export function central(index: WordIndex, wanted: CentralWanted): CentralFile[] {
  const files = chooseFiles(index, wanted);
  const outlines = files.map(({ number }) => index.outline(number));
  const { links, definitions } = linksBetween(index, files, outlines);
  const weights = pageRank(files.length, links);
  const worth = outlines.map((outline) => new Float64Array(outline.length));
  for (let at = 0; at < links.length; at++) {
    const { file, symbol } = definitions[at]!;
    worth[file]![symbol]! += weights[links.from[at]!]! * links.weight[at]!;
  }
  return files
    .map((file, position) => ({ file, position, weight: weights[position]! }))
    .sort((one, other) => other.weight - one.weight || (one.file.path < other.file.path ? -1 : 1))
    .slice(0, wanted.limit)
    .map(({ file, position, weight }) => ({
      path: file.path,
      weight,
      symbols: bestSymbols(file, outlines[position]!, worth[position]!),
    }));
}

const mostFiles = 6000;
const mostSymbols = 40;
const mostLinks = 2_000_000;

/** Returns the files of code, those in the outermost folders first. */
function chooseFiles(index: WordIndex, wanted: CentralWanted): WordFile[] {
  const asked = [...index.files()].filter(filterFiles(wanted));
  const code = asked.filter(({ role }) => fileRoles[role] === "code");
  const byDepth = Map.groupBy(code.length > 0 ? code : asked, ({ path }) => depthOf(path));
  const chosen: WordFile[] = [];
  for (const depth of [...byDepth.keys()].sort((one, other) => one - other)) {
    if (chosen.length >= mostFiles) break;
    const files = byDepth.get(depth)!.sort((one, other) => (one.path < other.path ? -1 : 1));
    for (const file of files.slice(0, mostFiles)) chosen.push(file);
  }
  return chosen.slice(0, mostFiles);
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) depth++;
  return depth;
}

interface Definition {
  readonly file: number;
  readonly symbol: number;
}

/** Returns links from files that use a name to those that define it. `definitions` has their symbols. */
function linksBetween(
  index: WordIndex,
  files: readonly WordFile[],
  outlines: readonly (readonly OutlinedSymbol[])[],
): { readonly links: Links; readonly definitions: Definition[] } {
  const links = new Links();
  const definitions: Definition[] = [];
  const sure: number[] = [];
  const mostUsers = Math.max(fewUsers, files.length * commonShare);
  const names = namesDefined(outlines);
  const usersOf = filesUsing([...names.keys()], index, files);
  for (const [term, { defining, sureness }] of names) {
    // More links would only take more memory.
    if (links.length > mostLinks) break;
    const users = usersOf.get(term) ?? [];
    if (users.length > mostUsers) continue;
    const weight = Math.log(1 + files.length / users.length) / defining.length;
    for (const definition of defining) {
      for (const from of users) {
        if (from === definition.file) continue;
        links.push(from, definition.file, weight);
        definitions.push(definition);
        sure.push(sureness);
      }
    }
  }
  shareOut(links, sure, files.length);
  return { links, definitions };
}

/** A name with more users or definitions than this does not identify one symbol. */
const fewUsers = 20;
const commonShare = 0.3;
const mostDefinitions = 4;

/** The probability that a plain word like "Note" or "open" refers to the symbol, because prose contains such words. */
const plainSureness = 0.2;

function namesDefined(outlines: readonly (readonly OutlinedSymbol[])[]) {
  const defined = new Map<string, { readonly defining: Definition[]; sureness: number }>();
  outlines.forEach((outline, file) => {
    outline.forEach(({ kind, name }, symbol) => {
      const last = /[\p{L}\p{N}_]+$/u.exec(name.replace(/<.*$/s, ""))?.[0] ?? "";
      const term = last.length < 3 ? undefined : termsOf(last).at(-1);
      if (!named.test(kind) || term === undefined) return;
      const known = getOrMake(defined, term, () => ({ defining: [], sureness: plainSureness }));
      known.defining.push({ file, symbol });
      if (!/^(?:\p{Lu}?\p{Ll}*|\p{Lu}+)$/u.test(last)) known.sureness = 1;
    });
  });
  for (const [term, { defining }] of defined) if (defining.length > mostDefinitions) defined.delete(term);
  return defined;
}

const named =
  /^(?:function|method|class|struct|union|enum|trait|interface|type|module|macro|constant|variable|table)$/;

/** Returns the positions of the files that use each term. All terms are found together, page by page. */
function filesUsing(
  terms: readonly string[],
  { segments }: WordIndex,
  files: readonly WordFile[],
): ReadonlyMap<string, readonly number[]> {
  const positions = new Int32Array(1 + files.reduce((most, { number }) => Math.max(most, number), 0));
  for (const [position, { number }] of files.entries()) positions[number] = position + 1;
  const sorted = terms
    .map((term) => ({ term, bytes: Buffer.from(term) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes));
  const wanted = sorted.map(({ bytes }) => bytes);
  const using = new Map<string, number[]>();
  for (const { fileOf, postingsOfAll } of segments) {
    for (const { index, postings } of postingsOfAll(wanted)) {
      const users = getOrMake(using, sorted[index]!.term, () => []);
      // The documents of a file are adjacent.
      for (const document of postings.documents) {
        const position = (positions[fileOf[document]!] ?? 0) - 1;
        if (position >= 0 && users.at(-1) !== position) users.push(position);
      }
    }
  }
  return using;
}

/** Turns weights into shares of what leaves each file, reduced by how sure each use is. */
function shareOut({ from, weight, length }: Links, sure: readonly number[], count: number): void {
  const sums = new Float64Array(count);
  for (let at = 0; at < length; at++) sums[from[at]!]! += weight[at]!;
  for (let at = 0; at < length; at++) weight[at] = (weight[at]! * sure[at]!) / sums[from[at]!]!;
}

/** Returns used symbols first, then unused top-level ones, in a stable order. */
export function bestSymbols(
  file: WordFile,
  outline: readonly OutlinedSymbol[],
  worth: Float64Array,
): CentralFile["symbols"] {
  return outline
    .map((symbol, position) => ({ symbol, position, weight: worth[position]! }))
    .filter(({ symbol, weight }) => weight > 0 || (symbol.parent === undefined && named.test(symbol.kind)))
    .sort((one, other) => other.weight - one.weight || one.position - other.position)
    .slice(0, mostSymbols)
    .map(({ symbol, weight }) => ({ ...indexedSymbol(file, symbol, outline), weight }));
}

/** The links of a graph. A weight is a share of everything that leaves `from`; the rest goes anywhere. */
export class Links {
  from: Uint32Array = new Uint32Array(1024);
  to: Uint32Array = new Uint32Array(1024);
  weight: Float64Array = new Float64Array(1024);
  length = 0;

  push(from: number, to: number, weight: number): void {
    if (this.length === this.from.length) {
      this.from = twice(this.from, new Uint32Array(2 * this.length));
      this.to = twice(this.to, new Uint32Array(2 * this.length));
      this.weight = twice(this.weight, new Float64Array(2 * this.length));
    }
    this.from[this.length] = from;
    this.to[this.length] = to;
    this.weight[this.length++] = weight;
  }
}

function twice<Numbers extends Uint32Array | Float64Array>(held: Numbers, room: Numbers): Numbers {
  room.set(held);
  return room;
}

/** Returns the probability of each node in a random walk that sometimes restarts anywhere. */
export function pageRank(count: number, { from, to, weight, length }: Links): Float64Array {
  let ranks = new Float64Array(count).fill(1 / count);
  const leadsAway = new Float64Array(count);
  for (let at = 0; at < length; at++) leadsAway[from[at]!]! += weight[at]!;
  for (let round = 0; round < rounds; round += 1) {
    let lost = 0;
    ranks.forEach((rank, position) => {
      lost += rank * (1 - leadsAway[position]!);
    });
    const next = new Float64Array(count).fill((1 - follows + follows * lost) / count);
    for (let at = 0; at < length; at++) next[to[at]!]! += follows * ranks[from[at]!]! * weight[at]!;
    ranks = next;
  }
  return ranks;
}

const rounds = 30;
const follows = 0.85;
