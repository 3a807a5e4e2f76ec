import { describeBlock } from "../../code/blocks/describe-block.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { counted } from "../../lib/counted.ts";
import type { CodeFile } from "./code-file.ts";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The symbol that new code declares: of the same name and kind as the old if there is one, else its first. */
export function declaredIn(
  { symbols }: Outline,
  { start, end }: Span,
  like?: Pick<CodeSymbol, "kind" | "name">,
): CodeSymbol | undefined {
  const inside = symbols.filter(
    (symbol) => symbol.start < end && symbol.declarationStart >= start && symbol.declarationStart < end,
  );
  const named = inside.filter(({ name }) => name === like?.name);
  return named.find(({ kind }) => kind === like?.kind) ?? named[0] ?? inside[0];
}

/** What is gone with the old block, so that nothing is lost silently. */
export function notesOnReplacement(
  { text, outline }: CodeFile,
  old: CodeSymbol,
  declared: CodeSymbol | undefined,
): readonly string[] {
  return [...renamed(outline, old, declared), ...dropped(text, old, declared)];
}

function renamed(outline: Outline, old: CodeSymbol, declared: CodeSymbol | undefined): readonly string[] {
  if (!declared) return [`the new block declares nothing: ${describeBlock(outline, old)} is gone`];
  if (declared.name === old.name && declared.kind === old.kind) return [];
  return [`${old.kind} ${old.name} is gone: the new block declares ${declared.kind} ${declared.name}`];
}

function dropped(text: string, old: CodeSymbol, declared: CodeSymbol | undefined): readonly string[] {
  const above = text.slice(old.start, old.declarationStart).trim();
  if (above === "" || (declared && declared.start < declared.declarationStart)) return [];
  const lines = above.split(/\r?\n/).map((line) => line.trim());
  const shown = lines.slice(0, 3).map((line) => (line.length > 100 ? `${line.slice(0, 99)}…` : line));
  const more = lines.length > 3 ? ` and ${counted(lines.length - 3, "more line")}` : "";
  return [`what stood above it went too, as the new block brings none: ${shown.join(" ⏎ ")}${more}`];
}
