import type { CodeSymbol, Outline, SyntaxFault } from "../../contract/code.ts";
import { movedBy, type Splice } from "./block-change.ts";
import { halvedConditions } from "./halved-conditions.ts";

interface Before {
  readonly text: string;
  readonly outline: Outline;
}

/** What is wrong with a changed text. */
export interface Damage {
  /** Faults that were not there before. */
  readonly faults: readonly SyntaxFault[];
  /** Symbols beside the change that are no longer seen: something swallows them. */
  readonly lost: readonly CodeSymbol[];
}

/**
 * What a change has broken; undefined when nothing. A text that did not parse before may stay so, but gets no worse, and
 * what is not changed stays what it was.
 */
export function damageOf(before: Before, after: Outline, splices: readonly Splice[]): Damage | undefined {
  const { text, outline } = before;
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
  // Faults in what gives way may be followed by as many in what comes, or move, as the parser finds its way back elsewhere.
  const isNoWorse = after.faults.length <= before.faults.length && added.length <= gone.length;
  return isNoWorse ? [] : added;
}

/** The grammar of Python lets a body be empty, Python does not. */
function bodiesEmptied(before: Outline, after: Outline): readonly SyntaxFault[] {
  if (after.language !== "python") return [];
  const isEmpty = ({ inside }: CodeSymbol) => inside !== undefined && inside.start === inside.end;
  const known = new Set(before.symbols.filter(isEmpty).map(({ kind, name }) => `${kind} ${name}`));
  return after.symbols
    .filter((symbol) => isEmpty(symbol) && !known.has(`${symbol.kind} ${symbol.name}`))
    .map(({ line, end, name }) => ({
      line,
      column: 1,
      start: end,
      end,
      message: `the body of \`${name}\` is empty`,
    }));
}

/**
 * Told by what they are called and where they were: where they begin and end may depend on others, as with headings, or
 * with a declaration of several names that becomes one of a single name.
 */
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
