import { ToolError } from "../../../contract/error.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { calculatorFunctions, decimal, factorial, power } from "./functions.ts";
import {
  add,
  bitsOf,
  divide,
  integer,
  isLong,
  modulo,
  mostBits,
  multiply,
  negate,
  remainder,
  subtract,
  type Value,
} from "./value.ts";

/**
 * The value of an expression, computed while it is parsed. `isStrict`: only the four operations, powers, signs and
 * parentheses over literals.
 */
export function calculate(expression: string, { isStrict }: { readonly isStrict: boolean }): Value {
  if (expression.length > mostCharacters)
    throw tooMuch(`The expression has ${expression.length} characters; the limit is ${mostCharacters}`);
  return new Parser(expression, isStrict).whole();
}

const mostCharacters = 4000;
const mostNesting = 200;
/** The limit for all long numbers of an expression together: they block the process. */
const mostLongBits = 8 * mostBits;

/**
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "/" | "%" | "mod") signed }
 *   signed  = { "+" | "-" } power
 *   power   = postfix [ ("^" | "**") signed ]
 *   postfix = primary [ "!" ]
 *   primary = literal | name | name "(" sum { "," sum } ")" | "(" sum ")"
 */
class Parser {
  readonly #text: string;
  readonly #isStrict: boolean;
  /** The next number, name or operator; "" at the end. */
  #token = "";
  #start = 0;
  #nesting = 0;
  #longBits = 0;

  constructor(text: string, isStrict: boolean) {
    this.#text = text;
    this.#isStrict = isStrict;
    this.#readToken(0);
  }

  whole(): Value {
    const value = this.#sum();
    if (this.#token !== "") throw this.#expected("an operator");
    return value;
  }

  #sum(): Value {
    let value = this.#product();
    for (;;) {
      if (this.#take("+")) value = add(value, this.#product());
      else if (this.#take("-")) value = subtract(value, this.#product());
      else return value;
    }
  }

  #product(): Value {
    let value = this.#signed();
    for (;;) {
      if (this.#take("*")) value = multiply(value, this.#signed());
      else if (this.#take("/")) value = divide(value, this.#signed());
      else if (this.#takeUnlessStrict("%")) value = remainder(value, this.#signed());
      else if (this.#takeUnlessStrict("mod")) value = modulo(value, this.#signed());
      else return value;
    }
  }

  #signed(): Value {
    let isNegative = false;
    for (;;) {
      if (this.#take("-")) isNegative = !isNegative;
      else if (!this.#take("+")) break;
    }
    const value = this.#power();
    if (isLong(value)) this.#longBits += bitsOf(value.numerator);
    if (this.#longBits > mostLongBits) throw tooMuch("The expression has too many long numbers");
    return isNegative ? negate(value) : value;
  }

  #power(): Value {
    const base = this.#postfix();
    return this.#take("^") || this.#take("**")
      ? power(
          base,
          this.#nested(() => this.#signed()),
        )
      : base;
  }

  #postfix(): Value {
    const value = this.#primary();
    if (!this.#takeUnlessStrict("!")) return value;
    if (this.#token === "!") throw this.#refused("Two factorials in a row are ambiguous", "Write (3!)!");
    return factorial(value);
  }

  #primary(): Value {
    const token = this.#token;
    if (this.#take("(")) {
      const value = this.#nested(() => this.#sum());
      this.#close();
      return value;
    }
    if (/^[A-Za-z_πτφ]/.test(token)) return this.#named(token.toLowerCase());
    if (!/^\.?\d/.test(token)) throw this.#expected("a number");
    const value = readNumber(token);
    if (value === undefined)
      throw this.#refused(
        `${quoted(token)} is not a number`,
        "Write numbers like 12, 0.5, 1e3, 1_000, 0xff or 0b101, and every operator: 2 * pi.",
      );
    this.#take(token);
    return value;
  }

  #named(name: string): Value {
    this.#refuseIfStrict();
    const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
    if (constant === undefined && !Object.hasOwn(calculatorFunctions, name)) throw this.#unknown();
    this.#take(this.#token);
    if (constant !== undefined) return constant;
    if (!this.#take("(")) throw this.#expected(`"(" after ${name}`);
    const values: Value[] = [];
    if (this.#token !== ")")
      do values.push(this.#nested(() => this.#sum()));
      while (this.#take(","));
    this.#close();
    const { least, most, run } = calculatorFunctions[name]!;
    if (values.length < least || values.length > most) throw wrongCount(name, values.length);
    return run(values);
  }

  #close(): void {
    if (!this.#take(")")) throw this.#expected('an operator or ")"');
  }

  /** Parses in parentheses or in an exponent. */
  #nested(parse: () => Value): Value {
    this.#nesting += 1;
    if (this.#nesting > mostNesting) throw tooMuch(`The expression is nested more than ${mostNesting} deep`);
    const value = parse();
    this.#nesting -= 1;
    return value;
  }

  #readToken(from: number): void {
    tokenHere.lastIndex = from;
    const token = tokenHere.exec(this.#text)![1]!;
    this.#start = tokenHere.lastIndex - token.length;
    this.#token = operators.get(token) ?? token;
  }

  /** Skips `token` if it comes next. */
  #take(token: string): boolean {
    if (this.#token !== token) return false;
    this.#readToken(this.#start + token.length);
    return true;
  }

  #takeUnlessStrict(operator: "%" | "mod" | "!"): boolean {
    if (this.#token !== operator) return false;
    this.#refuseIfStrict();
    return this.#take(operator);
  }

  #refuseIfStrict(): void {
    if (this.#isStrict)
      throw this.#refused(
        `${quoted(this.#token)} is not allowed in strict mode`,
        "Use numbers, + - * / ** ^ and parentheses only.",
      );
  }

  #expected(what: string): ToolError {
    const token = this.#token;
    const found = token === "" ? "at the end" : `at character ${this.#start + 1}, found ${quoted(token)}`;
    return new ToolError("invalid-input", `Expected ${what} ${found}`, { hint: hintFor(token, this.#text) });
  }

  #refused(message: string, hint: string): ToolError {
    return new ToolError("invalid-input", `${message}, at character ${this.#start + 1}`, { hint });
  }

  #unknown(): ToolError {
    const names = [...Object.keys(calculatorFunctions), ...Object.keys(constants)].filter(
      (name) => name < "\x7f",
    );
    const near = this.#token.length > 1 ? nearest(this.#token.slice(0, 40), names) : undefined;
    return this.#refused(
      `Unknown name ${quoted(this.#token)}`,
      `${near === undefined ? "" : `Did you mean ${near}? `}Known: ${names.join(" ")}.`,
    );
  }
}

/** Numbers, names, `**`, and any other character. A number includes whatever is attached to it: "2pi" is refused. */
const tokenHere = /\s*(0[xbo]\w*|\.?\d(?:[eE][+-]?\d|[\w.πτφ])*|[A-Za-z_πτφ][\wπτφ]*|\*\*|.|$)/suy;

/** Other signs for the operators. */
const operators: ReadonlyMap<string, string> = new Map([
  ...[..."×·⋅∗"].map((sign) => [sign, "*"] as const),
  ...[..."÷∕"].map((sign) => [sign, "/"] as const),
  ...[..."−–"].map((sign) => [sign, "-"] as const),
  ...["MOD", "Mod"].map((name) => [name, "mod"] as const),
]);

const numberShape = /^(?:(0x[\da-f]+|0b[01]+|0o[0-7]+)|(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?)$/i;

function readNumber(token: string): Value | undefined {
  if (/^\d+$/.test(token)) return integer(BigInt(token));
  const match = numberShape.exec(token.replace(/(?<=[\da-f])_(?=[\da-f])/gi, ""));
  if (!match) return undefined;
  const [, based, whole, fraction = "", exponent = "0"] = match;
  if (based !== undefined) return integer(BigInt(based));
  return decimal(BigInt(whole + fraction), Number(exponent) - fraction.length);
}

function tooMuch(message: string): ToolError {
  return new ToolError("too-large", message, {
    hint: "Evaluate a part of it first, or compute it with a command.",
  });
}

function quoted(token: string): string {
  return JSON.stringify(token.length > 40 ? `${token.slice(0, 40)}…` : token);
}

function wrongCount(name: string, count: number): ToolError {
  const { least, most } = calculatorFunctions[name]!;
  const wanted =
    most === least ? `${least}` : Number.isFinite(most) ? `${least} or ${most}` : `at least ${least}`;
  return new ToolError(
    "invalid-input",
    `${name} takes ${wanted} ${wanted.endsWith("1") ? "number" : "numbers"}, not ${count}`,
    { hint: name === "log" ? "log(x) has base 10, log(x, b) has base b." : "Separate numbers by commas." },
  );
}

function hintFor(token: string, text: string): string {
  if (/^[=<>]/.test(token))
    return "Comparisons and variables are not supported; give one arithmetic expression.";
  if (token === ",") return "Write 1000 or 1_000; commas only separate the arguments of a function.";
  if (token === "." || token === "[") return "Write sqrt(2), not Math.sqrt(2).";
  if ((token === "" || token === ")") && /%\s*(\)|$)/.test(text))
    return "% is the remainder of a division; for ten percent of x write x * 10 / 100.";
  if (token === "/") return "For integer division write floor(a / b).";
  if (token === "" && text.includes("(")) return "Close every parenthesis.";
  if (/^[\w(√πτφ]/.test(token)) return "Write every operator: 2 * pi, 3 * (1 + 2), sqrt(2).";
  return "Write an expression like (2 + 3) * 4 ^ 2 / sqrt(2).";
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
