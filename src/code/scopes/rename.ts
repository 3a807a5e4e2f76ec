import type { Occurrence, Occurrences } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { inOrder, type Splice } from "../blocks/block-change.ts";
import { firstIndex } from "../first-index.ts";
import { scopeRulesOf } from "./rules-of.ts";

export interface RenameWanted {
  readonly name: string;
  readonly newName: string;
  readonly line?: number | undefined;
  readonly isWanted?: ((definition: Occurrence) => boolean) | undefined;
}

/** Returns the occurrences to rename. Throws when they have several meanings, or when others could mean the same. */
export function occurrencesToRename(
  { places, scoped, language }: Occurrences,
  wanted: RenameWanted,
): readonly Occurrence[] {
  const { name } = wanted;
  if (!scoped) throw unknownScopes(language, name);
  if (places.length === 0)
    throw new ToolError("no-match", `\`${name}\` does not occur in the code of this file`, {
      hint: "Spell it as in the file. Use edit.replace for text in comments and strings.",
    });
  const wantedBinding = chooseBinding(places, wanted);
  const chosen = places.filter(({ binding }) => binding === wantedBinding);
  refuseDoubts(places, chosen, name);
  return chosen;
}

/** Returns the edits. When one word names two things, as in `{ name }`, the other name stays. */
export function renameSplices(places: readonly Occurrence[], newName: string): readonly Splice[] {
  return places.map(({ start, end, around }) => ({
    start,
    end,
    text: (around?.before ?? "") + newName + (around?.after ?? ""),
  }));
}

export function checkNewName(language: string, { name, newName }: RenameWanted): void {
  const rules = scopeRulesOf(language);
  if (rules === undefined) throw unknownScopes(language, name);
  if (newName === name)
    throw new ToolError("invalid-input", `\`${name}\` already has this name`, {
      hint: "Give another `new_name`.",
    });
  const reserved = rules.reserved.split(" ");
  if (reserved.includes(name))
    throw new ToolError(
      "invalid-input",
      `\`${name}\` is a reserved word of ${language} and cannot be renamed`,
    );
  const isPrivate = (word: string) => word.startsWith("#");
  // Some languages treat different characters as the same letter, so only the normal form is accepted.
  const isPlain = newName === newName.normalize("NFKC");
  const isSpelled = isPlain && rules.spelling.test(newName) && isPrivate(name) === isPrivate(newName);
  if (isSpelled && !reserved.includes(newName)) return;
  throw new ToolError("invalid-input", `\`${newName}\` is not a valid name in ${language}`, {
    hint: isSpelled ? "It is a reserved word: choose another name." : "Choose another name.",
  });
}

function chooseBinding(places: readonly Occurrence[], { name, line, isWanted }: RenameWanted): number {
  const near = line === undefined ? places : places.filter((occurrence) => occurrence.line === line);
  if (near.length === 0)
    throw new ToolError("no-match", `\`${name}\` does not occur on line ${line}`, {
      hint: `Give a \`line\` where it occurs: ${listLines(places)}.`,
    });
  const bindings = [...new Set(near.flatMap(({ binding }) => binding ?? []))];
  const definitions = (binding: number) =>
    places.filter((occurrence) => occurrence.role === "definition" && occurrence.binding === binding);
  const wanted = isWanted ? bindings.filter((binding) => definitions(binding).some(isWanted)) : bindings;
  const [only, ...more] = wanted;
  if (only === undefined) throw notDefinedHere(near, name, isWanted !== undefined && bindings.length > 0);
  if (more.length === 0) return only;
  const firsts = wanted.map((binding) => definitions(binding)[0]);
  const isOneLine = line !== undefined || new Set(firsts.map((first) => first?.line)).size < firsts.length;
  const listed = firsts.map((first) =>
    first === undefined ? "line ?" : isOneLine ? `${first.line}:${first.column}` : `line ${first.line}`,
  );
  throw new ToolError(
    "ambiguous-match",
    `\`${name}\` has ${wanted.length} meanings here, defined ${isOneLine ? "at" : "on"} ${listed.join(", ")}`,
    {
      hint: isOneLine
        ? `Give a \`line\` with only one of them. If there is none: ${byHand.replace("Find", "find")}`
        : "Give the `line` of one of them.",
    },
  );
}

function notDefinedHere(places: readonly Occurrence[], name: string, isOtherKind: boolean): ToolError {
  if (isOtherKind)
    return new ToolError("no-match", `\`${name}\` is not of the given kind`, { hint: "Leave out `kind`." });
  const members = places.filter(({ unbound }) => unbound === "member");
  if (members.length > 0)
    return new ToolError(
      "unsupported",
      `\`${name}\` is a member (${listLines(members)}), and its uses depend on types`,
      { hint: byHand },
    );
  return new ToolError(
    "unsupported",
    `\`${name}\` is not defined in this file, only used on ${listLines(places)}`,
    { hint: "Rename it in the file that defines it, which code.references finds." },
  );
}

function refuseDoubts(places: readonly Occurrence[], chosen: readonly Occurrence[], name: string): void {
  const definitions = chosen.filter(({ role }) => role === "definition");
  const having = (unbound: Occurrence["unbound"]) =>
    places.filter((occurrence) => occurrence.unbound === unbound);
  const refuse = (doubts: readonly Occurrence[], why: string) => {
    if (doubts.length === 0) return;
    throw new ToolError("unsupported", `\`${name}\` on ${listLines(doubts)} ${why}`, { hint: byHand });
  };
  refuse(having("unclear"), "may or may not mean the same");
  refuse(
    definitions.filter(({ isMember }) => isMember),
    "is a member, and its uses depend on types",
  );
  if (definitions.some(({ isPathed }) => isPathed)) {
    refuse(having("member"), "may mean the same by its path");
    // The name may be imported by a wildcard, or inherited.
    refuse(having("outside"), "may mean the same, defined elsewhere");
  }
  if (definitions.some(({ isArgument }) => isArgument))
    refuse(having("argument"), "is named in a call, which may mean this parameter");
}

function unknownScopes(language: string, name: string): ToolError {
  return new ToolError(
    "unsupported",
    `Scopes of ${language} are not supported, so a rename of \`${name}\` could change too much`,
    { hint: byHand },
  );
}

const byHand = "Find occurrences with code.references, and change the right ones with edit.replace.";

function listLines(places: readonly Occurrence[]): string {
  const lines = [...new Set(places.map(({ line }) => line))];
  const shown = lines.slice(0, 8).join(", ");
  const rest = lines.length > 8 ? ` and ${counted(lines.length - 8, "more line")}` : "";
  return `${lines.length === 1 ? "line" : "lines"} ${shown}${rest}`;
}

export interface Renamed {
  readonly splices: readonly Splice[];
  readonly chosen: readonly Occurrence[];
  readonly newName: string;
  readonly before: { readonly old: Occurrences; readonly new: Occurrences };
  readonly after: { readonly old: Occurrences; readonly new: Occurrences };
}

/** Refuses when an occurrence of either name would change its meaning. */
export function checkMeanings({ splices, chosen, newName, before, after }: Renamed): void {
  const isChosen = new Set(chosen.map(({ start }) => start));
  const shifted = shiftBy(splices);
  const moved = ({ start }: Occurrence) => shifted(start);
  const renamed = chosen.map((occurrence) => moved(occurrence) + (occurrence.around?.before.length ?? 0));
  const unclear = before.new.places.filter(({ unbound }) => unbound === "unclear");
  const clash = (places: readonly Occurrence[]) => clashes(newName, places);
  if (unclear.length > 0) throw clash(unclear);
  const others = before.new.places;
  const expected = new Set([...renamed, ...others.map(moved)]);
  const now = new Map(after.new.places.map((occurrence) => [occurrence.start, occurrence]));
  const isComplete = now.size === expected.size && [...expected].every((start) => now.has(start));
  const [binding, ...rest] = new Set(renamed.map((start) => now.get(start)?.binding));
  const captured = others.filter((occurrence) => now.get(moved(occurrence))?.binding === binding);
  if (captured.length > 0) throw clash(captured);
  if (!isComplete || binding === undefined || rest.length > 0) throw clash(others);
  const lost = before.old.places.filter((occurrence) => !isChosen.has(occurrence.start));
  if (!isAlike(others, after.new.places, moved) || !isAlike(lost, after.old.places, moved))
    throw clash(others);
}

function shiftBy(splices: readonly Splice[]): (offset: number) => number {
  const starts: number[] = [];
  const shifts = [0];
  for (const { start, end, text } of inOrder(splices)) {
    starts.push(start);
    shifts.push(shifts.at(-1)! + text.length - (end - start));
  }
  return (offset) => offset + shifts[firstIndex(starts.length, (index) => starts[index]! >= offset)]!;
}

/** Returns whether occurrences that meant the same still do, and others still do not. */
function isAlike(
  before: readonly Occurrence[],
  after: readonly Occurrence[],
  moved: (occurrence: Occurrence) => number,
): boolean {
  const now = new Map(after.map((occurrence) => [occurrence.start, occurrence]));
  const pairs = before.map((occurrence) => [occurrence.binding, now.get(moved(occurrence))] as const);
  const [forth, back] = [new Map<unknown, unknown>(), new Map<unknown, unknown>()];
  return pairs.every(([then, occurrence]) => {
    if (occurrence === undefined) return false;
    const isKnown = forth.has(then) || back.has(occurrence.binding);
    if (isKnown) return forth.get(then) === occurrence.binding && back.get(occurrence.binding) === then;
    forth.set(then, occurrence.binding);
    back.set(occurrence.binding, then);
    return (then === undefined) === (occurrence.binding === undefined);
  });
}

function clashes(newName: string, places: readonly Occurrence[]): ToolError {
  const where = places.length === 0 ? "" : ` (${listLines(places)})`;
  return new ToolError(
    "invalid-input",
    `\`${newName}\` already has another meaning${where}: the rename would change what other code means`,
    { hint: "Choose another name." },
  );
}
