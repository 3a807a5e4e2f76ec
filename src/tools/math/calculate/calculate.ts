import { errorWith, ToolError } from "../../../contract/error.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { calculatorFunctions } from "./functions.ts";
import { factorial, power } from "./power.ts";
import { Cursor, readLiteral } from "./read-literal.ts";
import {
  add,
  bitsOf,
  divide,
  isLong,
  modulo,
  mostBits,
  multiply,
  negate,
  numeratorOf,
  remainder,
  subtract,
  type Value,
} from "./value.ts";

interface CalculateOptions {
  /** Allows only the four operations, powers, signs and parentheses over literals. */
  readonly isStrict: boolean;
}

/**
 * Calculates the value of an expression while parsing it:
 *
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "/" | "%" | "mod") signed }
 *   signed  = { "+" | "-" } power
 *   power   = postfix [ ("^" | "**") signed ]
 *   postfix = primary [ "!" ]
 *   primary = literal | name | name "(" sum { "," sum } ")" | "(" sum ")"
 */
export function calculate(expression: string, options: CalculateOptions): Value {
  if (expression.length > mostCharacters) throw tooLong(expression.length);
  return new Reading(expression, options).whole();
}

const strictHint = "Use numbers, + - * / ** and parentheses only.";

const mostCharacters = 4000;
const mostNesting = 200;
/** Limits all long numbers of an expression together, because calculating with them blocks the process. */
const mostLongBits = 8 * mostBits;

class Reading {
  readonly #cursor: Cursor;
  readonly #isStrict: boolean;
  #nesting = 0;
  #longBits = 0;

  constructor(text: string, { isStrict }: CalculateOptions) {
    this.#cursor = new Cursor(text, isStrict ? strictHint : undefined);
    this.#isStrict = isStrict;
  }

  whole(): Value {
    const value = this.#sum();
    if (this.#cursor.next !== "") throw this.#cursor.expected("an operator");
    return value;
  }

  #sum(): Value {
    const cursor = this.#cursor;
    let value = this.#product();
    for (;;) {
      if (cursor.take("+")) value = add(value, this.#product());
      else if (cursor.take("-")) value = subtract(value, this.#product());
      else return value;
    }
  }

  #product(): Value {
    const cursor = this.#cursor;
    let value = this.#signed();
    for (;;) {
      if (cursor.take("*")) value = multiply(value, this.#signed());
      else if (cursor.take("/")) value = divide(value, this.#signed());
      else if (this.#takes("%")) value = remainder(value, this.#signed());
      else if (this.#takesMod()) value = modulo(value, this.#signed());
      else return value;
    }
  }

  #signed(): Value {
    const cursor = this.#cursor;
    let isNegative = false;
    for (;;) {
      if (cursor.take("-")) isNegative = !isNegative;
      else if (!cursor.take("+")) break;
    }
    const value = this.#power();
    if (typeof value !== "number" && isLong(value)) this.#countLong(bitsOf(numeratorOf(value)));
    return isNegative ? negate(value) : value;
  }

  #power(): Value {
    const base = this.#postfix();
    if (!this.#takes("^") && !this.#cursor.take("**")) return base;
    const exponent = this.#inside("signed");
    try {
      return power(base, exponent);
    } catch (error) {
      // The error's own hint may recommend functions, which strict mode does not allow.
      throw this.#isStrict && error instanceof ToolError
        ? errorWith(error, { hint: "Use smaller numbers, or whole exponents." })
        : error;
    }
  }

  #postfix(): Value {
    const value = this.#primary();
    if (!this.#takes("!")) return value;
    if (this.#cursor.next === "!")
      throw this.#cursor.refused("Two factorials in a row are ambiguous", "Write (3!)! for both.");
    return factorial(value);
  }

  #primary(): Value {
    const cursor = this.#cursor;
    if (cursor.take("(")) {
      const value = this.#inside("sum");
      this.#close();
      return value;
    }
    const word = cursor.word();
    if (word !== "") return this.#named(word);
    const literal = readLiteral(cursor);
    if (literal === undefined) throw cursor.expected("a number");
    return literal;
  }

  #named(word: string): Value {
    const cursor = this.#cursor;
    const name = word.toLowerCase();
    this.#refuseIfStrict(word);
    if (Object.hasOwn(constants, name)) {
      cursor.goTo(cursor.at + word.length);
      return constants[name]!;
    }
    if (!Object.hasOwn(calculatorFunctions(), name)) throw this.#unknown(word);
    cursor.goTo(cursor.at + word.length);
    if (!cursor.take("(")) throw cursor.expected(`"(" after ${name}`);
    return this.#call(name);
  }

  #call(name: string): Value {
    const { least, most, run } = calculatorFunctions()[name]!;
    const values: Value[] = [];
    if (this.#cursor.next !== ")")
      do values.push(this.#inside("sum"));
      while (this.#cursor.take(","));
    this.#close();
    if (values.length < least || values.length > most) throw wrongCount(name, values.length);
    return run(values);
  }

  #close(): void {
    if (!this.#cursor.take(")")) throw this.#cursor.expected('an operator or ")"');
  }

  /** Parses one level deeper: in parentheses, or in an exponent. */
  #inside(what: "sum" | "signed"): Value {
    this.#nesting += 1;
    if (this.#nesting > mostNesting)
      throw new ToolError("too-large", `The expression is nested more than ${mostNesting} levels deep`, {
        hint: "Calculate a part of it first.",
      });
    const value = what === "sum" ? this.#sum() : this.#signed();
    this.#nesting -= 1;
    return value;
  }

  #countLong(bits: number): void {
    this.#longBits += bits;
    if (this.#longBits > mostLongBits)
      throw new ToolError("too-large", "The expression has too many long numbers", {
        hint: "Calculate a part of it first, or let a command compute it.",
      });
  }

  #takes(operator: "%" | "!" | "^"): boolean {
    if (this.#cursor.next !== operator) return false;
    this.#refuseIfStrict(operator);
    return this.#cursor.take(operator);
  }

  #takesMod(): boolean {
    const { next } = this.#cursor;
    if ((next !== "m" && next !== "M") || this.#cursor.word().toLowerCase() !== "mod") return false;
    this.#refuseIfStrict("mod");
    this.#cursor.goTo(this.#cursor.at + 3);
    return true;
  }

  #refuseIfStrict(what: string): void {
    if (!this.#isStrict) return;
    throw this.#cursor.refused(
      `${JSON.stringify(what.slice(0, 40))} is not allowed in strict mode`,
      what === "^" ? "Write powers as 2**10." : strictHint,
    );
  }

  #unknown(word: string): ToolError {
    const names = [...Object.keys(calculatorFunctions()), ...Object.keys(constants)].filter(
      (name) => name < "\x7f",
    );
    const near = word.length > 1 ? nearest(word.slice(0, 40), names) : undefined;
    return this.#cursor.refused(
      `Unknown name ${JSON.stringify(word.slice(0, 40))}`,
      `${near === undefined ? "" : `Did you mean ${near}? `}Known: ${names.join(" ")}.`,
    );
  }
}

function wrongCount(name: string, count: number): ToolError {
  const { least, most } = calculatorFunctions()[name]!;
  const wanted =
    most === least ? `${least}` : Number.isFinite(most) ? `${least} or ${most}` : `at least ${least}`;
  const numbers = `${wanted} ${wanted.endsWith("1") ? "number" : "numbers"}`;
  return new ToolError("invalid-input", `${name} takes ${numbers}, not ${count}`, {
    hint: name === "log" ? "Write log(x) for base 10, or log(x, b) for base b." : `Give ${numbers}.`,
  });
}

function tooLong(length: number): ToolError {
  return new ToolError(
    "too-large",
    `The expression has ${length} characters; the limit is ${mostCharacters}`,
    {
      hint: "Calculate parts of it first, or let a command compute it.",
    },
  );
}

/** Constants by lower-case name. */
const constants: Readonly<Record<string, Value>> = {
  pi: Math.PI,
  π: Math.PI,
  tau: 2 * Math.PI,
  τ: 2 * Math.PI,
  e: Math.E,
  phi: (1 + Math.sqrt(5)) / 2,
  φ: (1 + Math.sqrt(5)) / 2,
};
