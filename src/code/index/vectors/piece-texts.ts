import type { OutlinedSymbol } from "../../../contract/code.ts";
import { fileRoles } from "../../../lib/file-roles.ts";
import type { Piece } from "../../search/pieces.ts";
import { indexedSymbol } from "../query/find-symbols.ts";
import type { WordFile } from "../query/word-index.ts";

/** A small model reads about 500 tokens, and the beginning of a piece says most about it. */
const maxChars = 1500;
const fewestLetters = 20;

/** Returns the text of each piece that is sent to a model; undefined for pieces that say too little. */
export function pieceTexts(
  file: WordFile,
  text: string,
  pieces: readonly Omit<Piece, "stretches">[],
  outline: readonly OutlinedSymbol[],
): (string | undefined)[] {
  const lines = text.split("\n");
  return pieces.map(({ firstLine, lastLine, symbol }) => {
    const shown = lines
      .slice(firstLine - 1, lastLine)
      .join("\n")
      .slice(0, maxChars);
    if ((shown.match(/\p{L}/gu)?.length ?? 0) < fewestLetters) return undefined;
    const named = symbol === undefined ? undefined : outline[symbol];
    const names = named ? [...indexedSymbol(file, named, outline).within, named.name] : [];
    return `${[file.path, ...names].join(" > ")}\n${shown}`;
  });
}

/** Whether the pieces of a file get vectors. Data and generated code would cost much and answer little. */
export function isWorthVectors({ role }: WordFile): boolean {
  const name = fileRoles[role]!;
  return name !== "data" && name !== "generated";
}
