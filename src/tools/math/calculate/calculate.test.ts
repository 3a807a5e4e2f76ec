import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { ToolError } from "../../../contract/error.ts";
import { calculate } from "./calculate.ts";
import { showValue } from "./show-value.ts";
import { denominatorOf, numeratorOf, toNumber, type Value } from "./value.ts";

const evaluated = (expression: string): Value => calculate(expression, { isStrict: false });

/** The result as shown: "= 4", "≈ 0.33333333333333333333 (1/3)". */
function shown(expression: string): string {
  const { value, isExact, fraction } = showValue(evaluated(expression));
  return `${isExact ? "=" : "≈"} ${value}${fraction ? ` (${fraction})` : ""}`;
}

function refusal(expression: string, isStrict = false): string {
  try {
    calculate(expression, { isStrict });
  } catch (error) {
    if (error instanceof ToolError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error(`${expression} was not refused`);
}

const { exact, rounded } = JSON.parse(
  readFileSync(new URL("../../../../test/samples/calculate.json", import.meta.url), "utf8"),
) as { exact: Record<string, [string, string]>; rounded: Record<string, string> };

describe("calculate", () => {
  it("returns the same fractions as Python", () => {
    const ours = Object.keys(exact).map((expression) => {
      const value = evaluated(expression);
      if (typeof value === "number") return [expression, value];
      return [expression, [String(numeratorOf(value)), String(denominatorOf(value))]];
    });
    expect(Object.fromEntries(ours)).toEqual(exact);
  });

  it("returns fourteen digits of Python's result with sixty", () => {
    const wrong = Object.entries(rounded).filter(([expression, digits]) => {
      const known = Number(digits);
      return Math.abs(toNumber(evaluated(expression)) - known) > 1e-14 * Math.abs(known);
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ["-2^2", "= -4"],
    ["(-2)^2", "= 4"],
    ["2^3^2", "= 512"],
    ["2**-1", "= 0.5"],
    ["2^-3^2", "= 0.001953125"],
    ["2*-3", "= -6"],
    ["--1 + +-+1", "= 0"],
    ["10 - 4 - 3", "= 3"],
    ["24 / 4 / 2", "= 3"],
    ["-3!", "= -6"],
    ["2^3!", "= 64"],
    ["17 % 5", "= 2"],
    ["17 mod 5", "= 2"],
    ["-7 % 3", "= -1"],
    ["-7 mod 3", "= 2"],
    ["7 mod -3", "= -2"],
    ["5.5 % 2", "= 1.5"],
    ["0^0", "= 1"],
  ])("applies operator precedence in %s", (expression, answer) => {
    expect(shown(expression)).toBe(answer);
  });

  it.each([
    ["0.1 + 0.2", "= 0.3"],
    ["9007199254740993 + 1", "= 9007199254740994"],
    ["1 / 3", "≈ 0.33333333333333333333 (1/3)"],
    ["2 / 3 * 3", "= 2"],
    ["1/3 + 1/6", "= 0.5"],
    ["-1 / 7", "≈ -0.14285714285714285714 (-1/7)"],
    ["1e400 / 1e399", "= 10"],
    ["1e-400", "= 1e-400"],
    ["100! / 98!", "= 9900"],
    ["2^100000 mod 7", "= 2"],
    ["99999999999999999999 ^ 2", "= 9999999999999999999800000000000000000001"],
    ["0.999999999999999999999999 / 3 * 3", "= 0.999999999999999999999999"],
    [
      "2999999999999999999999999999/3000000000000000000000000001",
      "≈ 1 (2999999999999999999999999999/3000000000000000000000000001)",
    ],
  ])("is exact for rational numbers: %s", (expression, answer) => {
    expect(shown(expression)).toBe(answer);
  });

  it.each([
    ["0xFF + 0b101 + 0o17", "= 275"],
    ["1_000 + 1e3 + .5 + 2.", "= 2002.5"],
    ["1.5e-3", "= 0.0015"],
    ["3 × 4 ÷ 2 − 1 · 2", "= 4"],
    ["\t1\n+\u00a01 ", "= 2"],
    ["007", "= 7"],
    ["SQRT(16) + Pi - PI", "≈ 4"],
    ["π", "≈ 3.14159265358979"],
  ])("parses %j", (expression, answer) => {
    expect(shown(expression)).toBe(answer);
  });

  it.each([
    ["sqrt(16)", "= 4"],
    ["sqrt(0.25)", "= 0.5"],
    ["sqrt(2)", "≈ 1.4142135623731"],
    ["sqrt(2)^2 - 2", "≈ 0"],
    ["sqrt(1e400)/1e200", "= 1"],
    ["sqrt(3e600)", "≈ 1.73205080756888e+300"],
    ["8^(1/3)", "= 2"],
    ["4^1.5", "= 8"],
    ["cbrt(-27)", "= -3"],
    ["root(32, 5)", "= 2"],
    ["root(-2, 3)", "≈ -1.25992104989487"],
    ["pow(2, 10)", "= 1024"],
    ["(1 + 0.0001)^100000", "≈ 22015.4560485522"],
    ["exp(0) + exp(1)", "≈ 3.71828182845905"],
    ["ln(e)", "≈ 1"],
    ["ln(1 + 1e-20)", "≈ 1e-20"],
    ["ln(10^400)", "≈ 921.034037197618"],
    ["ln(1e-400)", "≈ -921.034037197618"],
    ["log(1000)", "= 3"],
    ["log(0.001)", "= -3"],
    ["log(8, 2)", "= 3"],
    ["log2(2^5000)", "= 5000"],
    ["log10(2)", "≈ 0.301029995663981"],
    ["sin(pi)", "≈ 0"],
    ["sin(pi/2)", "≈ 1"],
    ["cos(0)", "= 1"],
    ["sin(rad(30))", "≈ 0.5"],
    ["deg(atan2(1, 1))", "≈ 45"],
    ["asin(1) * 2 - pi", "≈ 0"],
    ["tanh(0.5)", "≈ 0.46211715726001"],
    ["hypot(3, 4)", "= 5"],
    ["abs(-3.5) + sign(-2)", "= 2.5"],
    ["floor(-1.5) + ceil(-1.5)", "= -3"],
    ["trunc(-1.7)", "= -1"],
    ["round(2.5) + round(-3.5)", "= -1"],
    ["round(2.675, 2)", "= 2.68"],
    ["round(1250, -2)", "= 1300"],
    ["round(pi, 4)", "= 3.1416"],
    ["floor(pi)", "= 3"],
    ["floor(sqrt(3)^2)", "≈ 3"],
    ["min(3, 1/2, pi)", "= 0.5"],
    ["max(3, 1/2, pi)", "≈ 3.14159265358979"],
    ["sum(0.1, 0.2, 0.3)", "= 0.6"],
    ["mean(1, 2) + avg(3, 4)", "= 5"],
    ["median(5, 1, 4, 2)", "= 3"],
    ["gcd(12, 18, 27) + lcm(4, 6)", "= 15"],
    ["factorial(20)", "= 2432902008176640000"],
    ["choose(52, 5)", "= 2598960"],
    ["mod(-7, 3)", "= 2"],
    ["tau / 2 - pi + phi", "≈ 1.61803398874989"],
  ])("evaluates %s", (expression, answer) => {
    expect(shown(expression)).toBe(answer);
  });

  it.each([
    ["1/0", "invalid-input: Division by zero"],
    ["5 mod 0", "invalid-input: Division by zero"],
    ["0 ^ -1", "invalid-input: Division by zero"],
    ["sqrt(-1)", "invalid-input: A negative number has no even root among real numbers"],
    ["(-8)^(1/3)", "invalid-input: A negative number has no such power among real numbers"],
    ["log(0)", "invalid-input: Only positive numbers have a logarithm among real numbers"],
    ["log(8, 1)", "invalid-input: 1 cannot be the base of a logarithm"],
    ["tan(pi/2)", "invalid-input: The tangent of this angle is not defined"],
    ["asin(2)", "invalid-input: This function is only defined from -1 to 1"],
    ["atanh(1)", "invalid-input: This function is only defined between -1 and 1"],
    ["0.5!", "invalid-input: A factorial needs an integer that is not negative"],
    ["gcd(1.5, 2)", "invalid-input: gcd needs integers"],
    ["exp(1000)", "too-large: The numbers are too large: an approximation cannot exceed 1.8e308"],
    ["exp(-1000)", "too-large: The result is too close to zero: an approximation ends at 5e-324"],
    ["0.5^5000", "too-large: The result is too close to zero: an approximation ends at 5e-324"],
    ["sin(pi * 1e30)", "too-large: The numbers are too large: the angle has no digits left after the point"],
  ])("reports that %s has no value", (expression, refused) => {
    expect(refusal(expression)).toBe(refused);
  });

  it.each([
    "9^9^9^9",
    "9**9**9",
    "(10^6)!",
    "1e999999999",
    "choose(10^9, 10^8)",
    "10^30000 * 10^30000",
    "2^2^2^2^2^2^2",
  ])("refuses %s at once, which has too many digits", (expression) => {
    expect(refusal(expression)).toBe(
      "too-large: The numbers are too large: an integer may have at most 39456 digits",
    );
  });

  it.each([
    ["", "Expected a number at the end"],
    ["1 +", "Expected a number at the end"],
    ["5%", "Expected a number at the end"],
    ["(1", 'Expected an operator or ")" at the end'],
    ["1)", 'Expected an operator at character 2, found ")"'],
    ["2(3)", 'Expected an operator at character 2, found "("'],
    ["2 pi", 'Expected an operator at character 3, found "pi"'],
    ["1,000", 'Expected an operator at character 2, found ","'],
    ["1 = 1", 'Expected an operator at character 3, found "="'],
    ["10 // 3", 'Expected a number at character 5, found "/"'],
    ["1; 2", 'Expected an operator at character 2, found ";"'],
    ["2pi", '"2pi" is not a number, at character 1'],
    ["1__0", '"1__0" is not a number, at character 1'],
    ["0b12", '"0b12" is not a number, at character 1'],
    ["3!!", "Two factorials in a row are ambiguous, at character 3"],
    ["sqrt 2", 'Expected "(" after sqrt at character 6, found "2"'],
    ["sqrt()", "sqrt takes 1 number, not 0"],
    ["log(1, 2, 3)", "log takes 1 or 2 numbers, not 3"],
    ["min()", "min takes at least 1 number, not 0"],
    ["sqrt(4).x", 'Expected an operator at character 8, found "."'],
  ])("explains what is wrong with %j", (expression, message) => {
    expect(refusal(expression)).toBe(`invalid-input: ${message}`);
  });

  it.each(["toString", "__proto__", "constructor(1)", "hasOwnProperty", "process", "Math.sqrt(2)", "x"])(
    "does not know the name %s",
    (expression) => {
      const [name] = /^\w+/.exec(expression)!;
      expect(refusal(expression)).toBe(`invalid-input: Unknown name "${name}", at character 1`);
    },
  );

  it("suggests similar names, and lists all known ones", () => {
    const hintOf = (expression: string) => {
      try {
        evaluated(expression);
      } catch (error) {
        return (error as ToolError).hint;
      }
    };
    const known =
      "Known: sqrt cbrt root pow exp ln log log10 log2 abs sign floor ceil trunc round mod gcd lcm factorial choose min max " +
      "sum mean avg median hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh deg rad pi tau e phi.";
    expect([hintOf("sqr(2)"), hintOf("whatever(2)")]).toEqual([`Did you mean sqrt? ${known}`, known]);
  });

  it("accepts only numbers, the four operations and powers in strict mode", () => {
    const strict = (expression: string) => showValue(calculate(expression, { isStrict: true })).value;
    expect(strict("(2 + 3) * -4 ** 2 / 0x10 - 1e1 ** 2")).toBe("-105");
    expect(
      ["2 ^ 10", "pi", "abs(1)", "5 % 2", "5 mod 2", "3!", "a.b"].map((expression) =>
        refusal(expression, true),
      ),
    ).toEqual([
      'invalid-input: "^" is not allowed in strict mode, at character 3',
      'invalid-input: "pi" is not allowed in strict mode, at character 1',
      'invalid-input: "abs" is not allowed in strict mode, at character 1',
      'invalid-input: "%" is not allowed in strict mode, at character 3',
      'invalid-input: "mod" is not allowed in strict mode, at character 3',
      'invalid-input: "!" is not allowed in strict mode, at character 2',
      'invalid-input: "a" is not allowed in strict mode, at character 1',
    ]);
  });

  it("recommends no functions in strict mode", () => {
    const wrong = ["(1).real", "2 3", "2 +", "(1", "7//2", "1,5", "1 = 1", "50%", "(-8)**(1/3)", "9**9**9"];
    const hints = wrong.map((expression) => {
      try {
        calculate(expression, { isStrict: true });
      } catch (error) {
        return (error as ToolError).hint ?? "";
      }
      return "no error";
    });
    expect(new Set(hints)).toEqual(
      new Set(["Use numbers, + - * / ** and parentheses only.", "Use smaller numbers, or whole exponents."]),
    );
  });

  it.each([
    ["sin(1000000.1)", "≈ -0.254725827037861"],
    ["cos(824.63709)", "≈ 0.0309766112435579"],
    ["sin(3.14159265358979323846)", "≈ 2.64338327950288e-21"],
    ["sin(10^22)", "≈ -0.852200849767189"],
    ["tan(-1.5707963267948966)", "≈ -51998506188720300"],
    ["1.0000001^(10^9 + 0.5)", "≈ 2.68810383567011e+43"],
    ["max(1/3^2500, 1/7^1400) * 7^1400", "= 1"],
    ["(3^50000 * 7) / (3^50000 * 2)", "= 3.5"],
    ["3^60000 / 3^59999", "= 3"],
    ["2^20000 / (2^20012 * 3^5)", "≈ 0.0000010046939300411522634 (1/995328)"],
    ["sqrt(2) * 3 % sqrt(2)", "≈ 0"],
    ["sqrt(2) % 1", "≈ 0.414213562373095"],
    ["gcd(-8) + lcm(-3) + gcd(0) + lcm(0)", "= 11"],
  ])("loses no known digit: %s", (expression, value) => {
    expect(shown(expression)).toBe(value);
  });

  it.each([
    ["pi mod 1e-300", "too-large: The numbers are too large: no digit of the remainder is known"],
    ["sqrt(2) * 1e20 % 7", "too-large: The numbers are too large: no digit of the remainder is known"],
    ["sqrt(2 * 10^-700)", "too-large: The result is too close to zero: an approximation ends at 5e-324"],
  ])("shows no unknown digits: %s", (expression, message) => {
    expect(refusal(expression)).toBe(message);
  });

  it.each([
    "8000!",
    "9000! % 7",
    "log(7^40000, 7)",
    "3^82000 / (2^131000 - 1)",
    "1e30000",
    "gcd(3^10000, 2^16000 - 1)",
  ])("limits how often it evaluates %s", (long) => {
    expect(refusal(Array(100).fill(long).join(" + "))).toBe(
      "too-large: The expression has too many long numbers",
    );
  });

  it("refuses expressions that are nested too deep, or too long", () => {
    expect([refusal("(".repeat(300)), refusal("2^".repeat(300)), refusal("1+".repeat(2001))]).toEqual([
      "too-large: The expression is nested more than 200 levels deep",
      "too-large: The expression is nested more than 200 levels deep",
      "too-large: The expression has 4002 characters; the limit is 4000",
    ]);
    expect(shown(`${"-".repeat(3000)}1`)).toBe("= 1");
    expect(shown(`${"(".repeat(200)}1${")".repeat(200)}`)).toBe("= 1");
  });

  it("answers any text with a value or an error", () => {
    const pieces = [
      ..."+-*/%^!(),.= 0123456789eπ×",
      "**",
      "sqrt(",
      "ln(",
      "log(",
      "round(",
      "max(",
      "mod",
      "1e",
      "0x",
      "pi",
      "\u{1f600}",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (parts) => {
        const expression = parts.join("");
        try {
          const { value } = showValue(evaluated(expression));
          expect(value).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$/);
        } catch (error) {
          if (!(error instanceof ToolError)) throw error;
          expect(["invalid-input", "too-large"]).toContain(error.code);
        }
      }),
      { numRuns: rounds(300) },
    );
  });

  it("adds and multiplies fractions correctly", () => {
    const number = fc.tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.integer({ min: 0, max: 20 }));
    const written = ([digits, places]: readonly [bigint, number]) => `(${digits}e-${places})`;
    fc.assert(
      fc.property(number, number, number, (one, other, third) => {
        const [a, b, c] = [one, other, third].map(written);
        expect(shown(`${a} * (${b} + ${c})`)).toBe(shown(`${a}*${b} + ${a}*${c}`));
        expect(shown(`${a} - ${b}`)).toBe(shown(`-(${b} - ${a})`));
        if (other[0] !== 0n) {
          expect(shown(`${a} / ${b} * ${b}`)).toBe(shown(a!));
          expect(shown(`${a} - ${b} * floor(${a} / ${b})`)).toBe(shown(`${a} mod ${b}`));
          expect(shown(`${a} - ${b} * trunc(${a} / ${b})`)).toBe(shown(`${a} % ${b}`));
        }
      }),
      { numRuns: 200 },
    );
  });
});
