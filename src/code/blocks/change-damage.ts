import type { CodeSymbol, Outline, SyntaxFault } from "../../contract/code.ts";
import { lineEnd, lineStart } from "../lines.ts";
import { inOrder, movedBy, type Splice, spliced } from "./block-change.ts";

export interface Damage {
  readonly faults: readonly SyntaxFault[];
  /** Unchanged symbols that the grammar no longer finds, because other code now encloses them. */
  readonly lost: readonly CodeSymbol[];
}

/** Returns the damage of a change, or undefined. A text that did not parse before must not get worse. */
export function damageOf(
  { text, outline }: { readonly text: string; readonly outline: Outline },
  after: Outline,
  splices: readonly Splice[],
): Damage | undefined {
  const faults = [
    ...faultsAdded(outline, after, splices),
    ...bodiesEmptied(outline, after),
    ...halvedConditions(text, outline.language, splices),
  ];
  if (faults.length > 0) return { faults, lost: [] };
  const lost = outline.faults.length === 0 ? symbolsLost(outline, after, splices) : [];
  return lost.length > 0 ? { faults, lost } : undefined;
}

function faultsAdded(before: Outline, after: Outline, splices: readonly Splice[]): readonly SyntaxFault[] {
  if (after.faults.length === 0) return [];
  const known = new Map<string, number>();
  const gone: SyntaxFault[] = [];
  for (const fault of before.faults) {
    const at = movedBy(splices, fault.start);
    if (at === undefined) gone.push(fault);
    else known.set(`${at} ${fault.message}`, (known.get(`${at} ${fault.message}`) ?? 0) + 1);
  }
  const added = after.faults.filter((fault) => {
    const key = `${fault.start} ${fault.message}`;
    const count = known.get(key) ?? 0;
    known.set(key, count - 1);
    return count <= 0;
  });
  // A fault of the replaced part may reappear in the new part, or move, because the parser recovers at another token.
  const isNoWorse = after.faults.length <= before.faults.length && added.length <= gone.length;
  return isNoWorse ? [] : added;
}

/** Finds empty bodies, which the grammar accepts but Python does not. */
function bodiesEmptied(before: Outline, after: Outline): readonly SyntaxFault[] {
  if (after.language !== "python") return [];
  const isEmpty = ({ inside }: CodeSymbol) => inside !== undefined && inside.start === inside.end;
  const known = new Set(before.symbols.filter(isEmpty).map(({ kind, name }) => `${kind} ${name}`));
  return after.symbols
    .filter((symbol) => isEmpty(symbol) && !known.has(`${symbol.kind} ${symbol.name}`))
    .map(({ line, end, name }) => {
      const message = `the body of \`${name}\` is empty`;
      return { line, column: 1, start: end, end, message };
    });
}

/** Finds lost symbols by name and position. Their extent may depend on other symbols, as with headings. */
function symbolsLost(before: Outline, after: Outline, splices: readonly Splice[]): readonly CodeSymbol[] {
  const key = ({ kind, name }: CodeSymbol, at: number) => `${at} ${kind} ${name}`;
  const present = new Set(after.symbols.map((symbol) => key(symbol, symbol.declarationStart)));
  const isTouched = ({ start, end }: CodeSymbol) =>
    splices.some((splice) => splice.start < end && (splice.start > start || splice.end > start));
  return before.symbols.filter((symbol) => {
    if (isTouched(symbol)) return false;
    const at = movedBy(splices, symbol.declarationStart);
    if (at === undefined || present.has(key(symbol, at))) return false;
    return !after.symbols.some(
      ({ kind, name, start, end }) => kind === symbol.kind && name === symbol.name && start <= at && at < end,
    );
  });
}

/** Reports a change of only one part of `#if … #else … #endif`, which the grammar accepts. */
export function halvedConditions(text: string, language: string, splices: readonly Splice[]): SyntaxFault[] {
  if (!withConditions.has(language) || !directive.test(text)) return [];
  const after = spliced(text, splices);
  const faults: SyntaxFault[] = [];
  let shift = 0;
  for (const splice of inOrder(splices)) {
    const at = splice.start + shift;
    shift += splice.text.length - (splice.end - splice.start);
    const taken = openParts(linesAround(text, splice.start, splice.end));
    const given = openParts(linesAround(after, at, at + splice.text.length));
    if (taken === given) continue;
    const line = after.slice(0, at).split("\n").length;
    const message =
      taken === ""
        ? `\`${given}\` has no other part`
        : `\`${taken}\`, whose other part stays, would become ${given === "" ? "nothing" : `\`${given}\``}`;
    faults.push({ line, column: 1, start: at, end: at, message });
  }
  // The change may complete a directive that was unpaired before.
  return openParts(after).length < openParts(text).length ? [] : faults;
}

const withConditions: ReadonlySet<string> = new Set(
  "c cpp objective-c cuda arduino glsl hlsl c-sharp swift".split(" "),
);

const directive =
  /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|elseif|else|endif|region|endregion)\b/m;
const directives = new RegExp(directive, "gm");

/** Returns whole lines, because a change may begin in the middle of a directive. */
function linesAround(text: string, start: number, end: number): string {
  return text.slice(lineStart(text, start), lineEnd(text, end));
}

/** Returns the directives of a text whose other part is outside it. */
function openParts(text: string): string {
  const open: string[] = [];
  for (const [, word = ""] of text.matchAll(directives)) {
    const begin = open.findLastIndex((other) => /^(?:if|region)/.test(other));
    if (begin !== -1 && word.startsWith("end")) open.length = begin;
    else open.push(word);
  }
  return open.map((word) => `#${word}`).join(" ");
}

/**
 * Shows a fault with its line, and its position marked below:
 *
 *   12:9: missing `)`
 *   12 | let a = f(1;
 *      |            ^
 */
export function showFault(text: string, fault: SyntaxFault): string {
  const { line, column, message } = fault;
  const content = text.split("\n", line)[line - 1]?.replace(/\r$/, "") ?? "";
  const at = unitsOf(content, column - 1);
  const from = at > maxBefore ? at - maxBefore : 0;
  const shown = content.slice(from, from + maxShown);
  const cut = from > 0 ? "…" : "";
  const gutter = " ".repeat(`${line}`.length);
  // Tabs are kept, so that the mark is below the fault whatever their width.
  const blanks = (cut + content.slice(from, at)).replace(/[^\t]/g, " ");
  return [
    `${line}:${column}: ${message}`,
    `${line} | ${cut}${shown}${from + maxShown < content.length ? "…" : ""}`,
    `${gutter} | ${blanks}^`,
  ].join("\n");
}

const maxBefore = 100;
const maxShown = 160;

function unitsOf(line: string, characters: number): number {
  let units = 0;
  for (let count = 0; count < characters && units < line.length; count += 1)
    units += line.codePointAt(units)! > 0xffff ? 2 : 1;
  return units;
}
