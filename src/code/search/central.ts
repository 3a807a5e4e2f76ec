import type { CentralFile, CentralWanted } from "../../contract/code.ts";
import { getOrMake } from "../get-or-make.ts";
import { indexedSymbol } from "../index/query/find-symbols.ts";
import { filterFiles } from "../index/query/path-filter.ts";
import type { OutlinedSymbol, WordFile, WordIndex } from "../index/query/word-index.ts";
import { fileRoles } from "./file-roles.ts";
import { termsOf } from "./terms.ts";

/** Returns the files and symbols that most others use, most central first. Uses are found by name. */
export function central(index: WordIndex, wanted: CentralWanted): CentralFile[] {
  const files = chooseFiles(index, wanted);
  const outlines = files.map(({ number }) => index.outline(number));
  const { links, definitions } = linksBetween(index, files, outlines);
  const weights = pageRank(files.length, links);
  const worth = outlines.map((outline) => new Float64Array(outline.length));
  links.forEach(({ from, weight }, position) => {
    const { file, symbol } = definitions[position]!;
    worth[file]![symbol]! += weights[from]! * weight;
  });
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

function chooseFiles(index: WordIndex, wanted: CentralWanted): WordFile[] {
  const asked = [...index.files()].filter(filterFiles(wanted));
  const code = asked.filter(({ role }) => fileRoles[role] === "code");
  return (code.length > 0 ? code : asked)
    .map((file) => ({ file, depth: file.path.split("/").length }))
    .sort((one, other) => one.depth - other.depth || (one.file.path < other.file.path ? -1 : 1))
    .slice(0, mostFiles)
    .map(({ file }) => file);
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
): { readonly links: Link[]; readonly definitions: Definition[] } {
  const positions = new Map(files.map(({ number }, position) => [number, position]));
  const links: Link[] = [];
  const definitions: Definition[] = [];
  const sure: number[] = [];
  for (const [term, { defining, sureness }] of namesDefined(outlines)) {
    // More links would only take more memory.
    if (links.length > mostLinks) break;
    const users = filesUsing(term, index, positions);
    if (users.size > Math.max(fewUsers, files.length * commonShare)) continue;
    const weight = Math.log(1 + files.length / users.size) / defining.length;
    for (const definition of defining) {
      for (const from of users) {
        if (from === definition.file) continue;
        links.push({ from, to: definition.file, weight });
        definitions.push(definition);
        sure.push(sureness);
      }
    }
  }
  return { links: withShares(links, sure, files.length), definitions };
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

function filesUsing(
  term: string,
  { segments }: WordIndex,
  positions: ReadonlyMap<number, number>,
): Set<number> {
  const users = new Set<number>();
  for (const { fileOf, postings } of segments) {
    for (const document of postings(term)?.documents ?? []) {
      const position = positions.get(fileOf[document]!);
      if (position !== undefined) users.add(position);
    }
  }
  return users;
}

function withShares(links: readonly Link[], sure: readonly number[], count: number): Link[] {
  const sums = new Float64Array(count);
  for (const { from, weight } of links) sums[from]! += weight;
  return links.map(({ from, to, weight }, position) => ({
    from,
    to,
    weight: (weight * sure[position]!) / sums[from]!,
  }));
}

/** Returns used symbols first, then unused top-level ones, in a stable order. */
function bestSymbols(
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

/** A link in the graph. `weight` is a share of everything that leaves `from`; the rest goes anywhere. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** Returns the probability of each node in a random walk that sometimes restarts anywhere. */
export function pageRank(count: number, links: readonly Link[]): Float64Array {
  let ranks = new Float64Array(count).fill(1 / count);
  const leadsAway = new Float64Array(count);
  for (const { from, weight } of links) leadsAway[from]! += weight;
  for (let round = 0; round < rounds; round += 1) {
    let lost = 0;
    ranks.forEach((rank, position) => {
      lost += rank * (1 - leadsAway[position]!);
    });
    const next = new Float64Array(count).fill((1 - follows + follows * lost) / count);
    for (const { from, to, weight } of links) next[to]! += follows * ranks[from]! * weight;
    ranks = next;
  }
  return ranks;
}

const rounds = 30;
const follows = 0.85;
