import type * as bash from "unbash";
import { doubt, type Scope, type Stretch } from "./scope.ts";

/**
 * Accounts for the whole source: every character must belong to a word that was read, or to the few signs and keywords
 * that join words. This detects text that a tolerant grammar has dropped.
 */
export class Accounts {
  readonly #scope: Scope;
  readonly #taken: (Stretch & { readonly word: boolean })[] = [];

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  take(command: bash.Command): void {
    if (command.name !== undefined) this.takeWord(command.name);
    for (const item of [...command.prefix, ...command.suffix])
      if (item.type === "Word") this.takeWord(item);
      else if (item.type === "Assignment") this.takeSpan(item);
      else this.takeRedirection(item);
  }

  takeWord({ pos, end }: bash.Word): void {
    this.#taken.push({ pos, end, word: true });
  }

  takeRedirection(redirect: bash.Redirection): void {
    this.takeSpan(redirect);
    const operator = redirect.type === "HereDoc" ? redirect.delimiter?.pos : redirect.target?.pos;
    if (this.#scope.source.slice(redirect.pos, operator ?? redirect.end).includes("\\\n"))
      doubt(this.#scope, "a line that continues inside a redirection", redirect);
    if (redirect.type !== "HereDoc") return;
    this.takeSpan(redirect.body);
    if (redirect.closing !== undefined) this.takeSpan(redirect.closing);
  }

  /** Takes the header `for (( … ))`, up to its body. */
  takeHeader(node: bash.ArithmeticFor): void {
    const text = this.#scope.source.slice(node.pos, node.body.pos);
    const end = text.lastIndexOf("))");
    this.takeSpan({ pos: node.pos, end: node.pos + end + 2 });
  }

  takeSpan(stretch: Stretch): void {
    if (stretch.end > stretch.pos) this.#taken.push({ pos: stretch.pos, end: stretch.end, word: false });
  }

  check(whole: Stretch): void {
    const taken = this.#taken.sort((left, right) => left.pos - right.pos);
    let at = whole.pos;
    for (const { pos, end, word } of taken) {
      if (pos < at) doubt(this.#scope, "words that overlap", { pos, end });
      // Two words without anything between them are one word to the shell.
      else if (word && pos === at && at > whole.pos && this.#scope.source[at - 1] !== "\n")
        doubt(this.#scope, "words without a separator", { pos: at - 1, end });
      else this.#checkBetween(at, pos);
      at = Math.max(at, end);
    }
    this.#checkBetween(at, Math.max(at, whole.end));
  }

  #checkBetween(start: number, end: number): void {
    joining.lastIndex = start;
    let rest = true;
    while (rest && joining.lastIndex < end) rest = joining.test(this.#scope.source);
    if (!rest) doubt(this.#scope, "text that belongs to no command", { pos: start, end });
    if (/[^\s]\\\n\S/.test(this.#scope.source.slice(start, end)))
      doubt(this.#scope, "a line that continues inside a sign", { pos: start, end });
  }
}

/** Matches blanks, continued lines, comments, operators and keywords, one at a time. */
const joining =
  /[ \t\n;&|(){}!]+|\\\n|#[^\n]*|(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc)\b/y;
