import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/nearest.ts";
import { type BlockWanted, describeWanted } from "./block-wanted.ts";
import { describeBlock } from "./list-blocks.ts";

/** Says what comes near to a block that is not there. */
export function noSuchBlock(path: string, outline: Outline, wanted: BlockWanted): ToolError {
  const { symbols, faults, language } = outline;
  const message = `${path} has no ${describeWanted(wanted)}${symbols.length === 0 ? `: no symbols of ${language} were found in it` : ""}`;
  const near = nearBlocks(symbols, wanted.name).slice(0, 3);
  const meant = near.map((symbol) => describeBlock(outline, symbol)).join(", or ");
  const [fault] = faults;
  const broken = fault
    ? `It does not parse (line ${fault.line}: ${fault.message}), so not all may be seen.`
    : "";
  const hint = [meant === "" ? "" : `Did you mean ${meant}?`, broken, "See what there is with code.symbols."];
  return new ToolError("no-match", message, { hint: hint.filter((each) => each !== "").join(" ") });
}

/** The same name of another kind or elsewhere, else one that is spelled nearly so, else one that holds it. */
function nearBlocks(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  const name = wanted.trim();
  const last = name.slice(
    Math.max(name.lastIndexOf("::") + 2, name.lastIndexOf(".") + 1, name.lastIndexOf(" ") + 1),
  );
  const names = new Set(symbols.map((symbol) => symbol.name));
  const meant = [name, last].find((each) => names.has(each)) ?? nearest(name, names) ?? nearest(last, names);
  if (meant !== undefined) return symbols.filter((symbol) => symbol.name === meant);
  return last.length < 3 ? [] : symbols.filter((symbol) => symbol.name.includes(last));
}
