import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { calculate } from "../../src/tools/math/calculate/calculate.ts";
import { showValue } from "../../src/tools/math/calculate/show-value.ts";
import { workDirectory } from "../data/data.ts";
import type { Contender, Group } from "../harness.ts";
import { importPeer, peerProgram } from "../peers.ts";

const source = fileURLToPath(new URL("../../src/tools/math/calculate/calculate.ts", import.meta.url));
const folder = join(workDirectory, "calculator");
const bundle = join(folder, "calculate.cjs");
const nothing = join(folder, "nothing.cjs");

/** Expressions that all contenders accept, with the same result. */
const expressions = [
  ...["1 + 2 * 3", "(2 + 3) * 4 - 5 / 8", "2 ^ 10 + 3 ^ 5", "-2.5 * (1.25 + 3.75)"],
  ...["100 * (1 + 0.05) ^ 10", "12345678 * 87654", "1 / 3 + 1 / 6", "sqrt(16) + abs(-3)"],
  ...["floor(7.9) + ceil(2.1)", "sin(0.5) ^ 2 + cos(0.5) ^ 2", "max(3, 7, 5) * min(2, 4)", "17 % 5 + 9"],
] as const;

/** Compares math.calculate with libraries that evaluate expressions. */
export const group: Group = {
  needs: [],
  prepare: bundleCalculator,
  cases: [
    {
      name: "loading it",
      about:
        "A process from start to exit that loads the calculator. Our launcher has Node keep compiled code, so that is what counts; the reference is without. As a library, or the first time, it is compiled: 17 KB take Node a millisecond, which the last row adds.",
      rounds: 40,
      lapsPerRound: 5,
      warmUpRounds: 1,
      goals: [{ measure: "cpuMs", timesReference: 1.02 }],
      contenders: {
        "node, nothing": () => loading("nothing", nothing),
        "node, nothing, code kept": () => loading("nothing-kept", nothing, { keepsCode: true }),
        toolcrib: () => loading("toolcrib-kept", bundle, { keepsCode: true }),
        "toolcrib, compiled": () => loading("toolcrib", bundle),
      },
    },
    {
      name: "loading it, peers",
      about: "The same with libraries, all of them with code that Node has kept.",
      rounds: 10,
      warmUpRounds: 1,
      goals: [],
      contenders: {
        "node, nothing": () => loading("nothing", nothing),
        toolcrib: () => loading("toolcrib-kept", bundle, { keepsCode: true }),
        "expr-eval-fork": () => loadingPeer("expr-eval-fork", "dist/bundle.js"),
        fparser: () => loadingPeer("fparser", "dist/fparser.js"),
        mathjs: () => loadingPeer("mathjs", "lib/cjs/index.js"),
      },
    },
    {
      name: "evaluating expressions",
      about: `From text to text, ${expressions.length} expressions a lap. Toolcrib's answers are exact, the others' floating point.`,
      rounds: 25,
      lapsPerRound: 200,
      goals: [{ measure: "cpuMs", timesReference: 1 }],
      contenders: {
        "expr-eval-fork": async () => {
          const { Parser } = await importPeer("expr-eval-fork", "dist/index.mjs");
          return evaluating((expression) => String(Parser.evaluate(expression)));
        },
        toolcrib: () =>
          evaluating((expression) => showValue(calculate(expression, { isStrict: false })).value),
        fparser: async () => {
          const { default: Formula } = await importPeer("fparser", "dist/fparser.js");
          // It does not support `%`.
          return evaluating((expression) => String(Formula.calc(expression.replace("17 % 5", "2"), {})));
        },
        mathjs: async () => {
          const { evaluate } = await importPeer("mathjs", "lib/esm/index.js");
          return evaluating((expression) => String(evaluate(expression)));
        },
      },
    },
  ],
};

function loading(name: string, file: string, { keepsCode = false } = {}): Contender {
  const program = join(folder, `load-${name}.cjs`);
  const keeping = `require("node:module").enableCompileCache(${JSON.stringify(join(folder, "cache"))});`;
  writeFileSync(program, `${keepsCode ? keeping : ""} require(${JSON.stringify(file)});`);
  return { run: () => void execFileSync(process.execPath, [program], { stdio: "ignore" }) };
}

function loadingPeer(name: string, file: string): Contender {
  return loading(name, peerProgram(name, file), { keepsCode: true });
}

/** Returns the sum to nine digits, the precision that all contenders have. */
function evaluating(evaluate: (expression: string) => string): Contender {
  return {
    run: () => {
      let sum = 0;
      for (const expression of expressions) sum += Number(evaluate(expression));
      return Number(sum.toPrecision(9));
    },
  };
}

/** As published: one file without types. */
function bundleCalculator(): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(nothing, "exports.nothing = undefined;");
  const program = `
    const { build } = await import(${JSON.stringify(import.meta.resolve("rolldown"))});
    await build({ input: ${JSON.stringify(source)}, platform: "node", logLevel: "warn",
      output: { file: ${JSON.stringify(bundle)}, format: "cjs", minify: true } });`;
  execFileSync(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", 2, 2] });
}
