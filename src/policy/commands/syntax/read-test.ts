import type * as bash from "unbash";
import { readSubscript } from "./read-arithmetic.ts";
import { readWord } from "./read-word.ts";
import { doubt, type Scope } from "./scope.ts";

/** `[[ … ]]`: its words, and the places where it evaluates text as arithmetic. */
export function readTest(expression: bash.TestExpression, scope: Scope): void {
  switch (expression.type) {
    case "TestUnary":
      (/^-[vR]$/.test(expression.operator) ? readSubscript : readWord)(expression.operand, scope);
      return;
    case "TestBinary": {
      const read = /^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator) ? readSubscript : readWord;
      read(expression.left, scope);
      read(expression.right, scope);
      return;
    }
    case "TestLogical":
      for (const operand of expression.operands) readTest(operand, scope);
      return;
    case "TestNot":
      readTest(expression.operand, scope);
      return;
    case "TestGroup":
      readTest(expression.expression, scope);
      return;
    default:
      doubt(scope, "an unknown kind of test", expression satisfies never);
  }
}
