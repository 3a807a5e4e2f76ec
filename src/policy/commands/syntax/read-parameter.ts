import type * as bash from "unbash";
import { isNumeric, readSubscript } from "./read-arithmetic.ts";
import { readWord } from "./read-word.ts";
import { doubt, noteVariable, type Scope } from "./scope.ts";

/** `${…}`: what its operands run, and where it evaluates text. */
export function readParameter(part: bash.ParameterExpansionPart, scope: Scope): void {
  const { index, operation } = part;
  const keys = index !== undefined && /^[@*]$/.test(index.text);
  if (index !== undefined && !keys) readSubscript(index, scope);
  if (part.prefix === "!" && !keys && operation?.type !== "Names")
    doubt(scope, "the name in a variable is expanded, which may run a command", part);
  if (operation === undefined) return;
  switch (operation.type) {
    case "Default":
      readDefault(part, operation, scope);
      return;
    case "Remove":
      readWord(operation.operand, scope);
      return;
    case "Replace":
      readWord(operation.pattern, scope);
      readWord(operation.replacement, scope);
      return;
    case "Slice":
      readSubscript(operation.offset, scope);
      if (operation.length !== undefined) readSubscript(operation.length, scope);
      return;
    case "CaseModification":
      if (operation.operand !== undefined) readWord(operation.operand, scope);
      return;
    case "Transform":
      if (!/^[QEAKaUuLk]$/.test(operation.operand.text))
        doubt(scope, "the text of a variable is expanded like a prompt, which may run a command", part);
      return;
    case "Names":
      return;
    default:
      doubt(scope, "an unknown operation on a variable", part);
  }
}

/** `${name:=value}` is an assignment. */
function readDefault(
  part: bash.ParameterExpansionPart,
  { operator, operand }: bash.ParameterDefaultOperation,
  scope: Scope,
): void {
  const value = readWord(operand, scope);
  if (operator.endsWith("=")) noteVariable(scope, part.parameter, isNumeric(value) ? "number" : "text", part);
}
