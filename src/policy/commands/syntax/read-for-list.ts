import type * as bash from "unbash";
import { isNumeric } from "./read-arithmetic.ts";
import { readWord } from "./read-word.ts";
import { noteVariable, type Scope } from "./scope.ts";

/** `for name in words`: the words are expanded once, then the variable takes each. */
export function readForList(node: bash.For | bash.Select, scope: Scope): void {
  const words = node.wordlist?.map((word) => readWord(word, scope));
  noteVariable(scope, node.name.text, words?.every(isNumeric) ? "number" : "text", node.name);
}
