import type * as bash from "unbash";
import { isNumeric } from "./read-arithmetic.ts";
import { readWord } from "./read-word.ts";
import type { Scope } from "./scope.ts";

/** `for name in words`: the words are expanded once, then the variable takes each. */
export function readForList(node: bash.For | bash.Select, scope: Scope): void {
  const words = node.wordlist?.map((word) => readWord(word, scope));
  scope.reading.variables.push({
    name: node.name.text,
    numeric: words?.every(isNumeric) ?? false,
    span: scope.locate(node.name.pos, node.name.end),
    first: scope.reading.commands.length,
    end: undefined,
  });
}
