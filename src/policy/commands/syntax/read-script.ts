import type * as bash from "unbash";
import { isNumeric } from "../analysis.ts";
import { Accounts } from "./accounts.ts";
import { readCommand, readRedirections } from "./read-command.ts";
import { readArithmetic, readSubscript, readWord } from "./read-word.ts";
import { doubt, noteVariable, type Scope } from "./scope.ts";

/** Finds every simple command of a parsed script, at any depth. */
export function readScript(script: bash.ParsedScript, scope: Scope): void {
  for (const { message, pos } of script.errors ?? []) {
    const span = scope.locate(pos, Math.max(pos, script.end));
    scope.reading.notUnderstood.push({ reason: `a syntax error: ${message}`, span, isSyntax: true });
  }
  const accounts = new Accounts(scope);
  readStatements(script.commands, scope, accounts);
  accounts.check(script);
}

type Node = bash.PipelineNode | bash.AndOr | bash.CompoundList;

function readStatements(statements: readonly bash.Statement[], scope: Scope, accounts: Accounts): void {
  for (const { command, background } of statements) {
    const shell = background === true ? { ...scope.shell } : scope.shell;
    readNode(command, { ...scope, shell }, accounts);
    settle(shell);
  }
}

/** Ends a statement. After `cd directory;` the directory is unknown, because the `cd` may have failed. */
function settle(shell: Scope["shell"]): void {
  if (shell.moved) shell.directory = undefined;
  shell.moved = false;
}

function readNode(node: Node, scope: Scope, accounts: Accounts): void {
  switch (node.type) {
    case "Command":
      accounts.take(node);
      return void scope.reading.interpreter.interpretCommand(readCommand(node, scope), scope);
    case "CompoundList":
      return void readStatements(node.commands, scope, accounts);
    case "AndOr":
      return void readAndOr(node, scope, accounts);
    case "Pipeline":
      return void readPipeline(node, scope, accounts);
    case "Redirected":
      return void readRedirected(node, scope, accounts);
    case "Subshell":
      if (scope.source.startsWith("((", node.pos)) doubt(scope, "parentheses that may be arithmetic", node);
      return void readNode(node.body, inSubshell(scope), accounts);
    case "BraceGroup":
      return void readNode(node.body, scope, accounts);
    case "If":
      return void readIf(node, scope, accounts);
    case "While":
      return void readLoop(scope, () => {
        readNode(node.clause, scope, accounts);
        readNode(node.body, scope, accounts);
      });
    case "For":
    case "Select":
      return void readFor(node, scope, accounts);
    case "ArithmeticFor":
      return void readArithmeticFor(node, scope, accounts);
    case "Case":
      return void readCase(node, scope, accounts);
    case "Function":
      return void readFunction(node, scope, accounts);
    case "Coproc":
      return void readCoprocess(node, scope, accounts);
    case "TestCommand":
      accounts.takeSpan(node);
      return void readTest(node.expression, scope);
    case "ArithmeticCommand":
      accounts.takeSpan(node);
      return void readArithmetic(node.expression, node, scope);
    default:
      doubt(scope, "an unknown kind of command", node satisfies never);
  }
}

function readAndOr(node: bash.AndOr, scope: Scope, accounts: Accounts): void {
  node.commands.forEach((command, index) => {
    if (index > 0 && node.operators[index - 1] === "||") settle(scope.shell);
    readNode(command, scope, accounts);
  });
}

function readPipeline(node: bash.Pipeline, scope: Scope, accounts: Accounts): void {
  for (const prefix of node.prefixes) accounts.takeSpan(prefix);
  for (const command of node.commands)
    readNode(command, node.commands.length > 1 ? inSubshell(scope) : scope, accounts);
}

function readRedirected(node: bash.Redirected, scope: Scope, accounts: Accounts): void {
  for (const redirect of node.redirects) accounts.takeRedirection(redirect);
  const redirections = readRedirections(node.redirects, scope);
  const span = scope.locate(node.redirects[0]?.pos ?? node.pos, node.end);
  scope.reading.interpreter.interpretCommand({ span, words: [], assignments: [], redirections }, scope);
  readNode(node.command, scope, accounts);
}

/** Returns a scope whose changes of the directory do not last. */
function inSubshell(scope: Scope): Scope {
  return { ...scope, shell: { ...scope.shell } };
}

function readIf(node: bash.If, scope: Scope, accounts: Accounts): void {
  for (const { clause, then } of [node, ...node.elif]) {
    readNode(clause, scope, accounts);
    readNode(then, scope, accounts);
  }
  if (node.else !== undefined) readNode(node.else, scope, accounts);
}

/** Reads `for name in words`, where the words are expanded once and the variable gets each of them. */
function readFor(node: bash.For | bash.Select, scope: Scope, accounts: Accounts): void {
  accounts.takeWord(node.name);
  for (const word of node.wordlist ?? []) accounts.takeWord(word);
  const words = node.wordlist?.map((word) => readWord(word, scope));
  noteVariable(scope, node.name.text, words?.every(isNumeric) ? "number" : "text", node.name);
  readLoop(scope, () => readNode(node.body, scope, accounts));
}

function readArithmeticFor(node: bash.ArithmeticFor, scope: Scope, accounts: Accounts): void {
  accounts.takeHeader(node);
  for (const part of [node.initialize, node.test, node.update])
    if (part !== undefined) readArithmetic(part, part, scope);
  readLoop(scope, () => readNode(node.body, scope, accounts));
}

/** Reads a loop. A `cd` in one iteration also affects the earlier commands of the next one. */
function readLoop(scope: Scope, readBody: () => void): void {
  const { commands } = scope.reading;
  const first = commands.length;
  const before = scope.shell.directory;
  readBody();
  if (scope.shell.directory === before && !scope.shell.moved) return;
  for (let index = first; index < commands.length; index++)
    commands[index] = { ...commands[index]!, directory: undefined };
}

function readCase(node: bash.Case, scope: Scope, accounts: Accounts): void {
  const read = (word: bash.Word) => {
    accounts.takeWord(word);
    readWord(word, scope);
  };
  read(node.word);
  for (const item of node.items) {
    item.pattern.forEach(read);
    readNode(item.body, scope, accounts);
  }
}

function readFunction(node: bash.Function, scope: Scope, accounts: Accounts): void {
  accounts.takeWord(node.name);
  const { value } = readWord(node.name, scope);
  if (value === undefined) doubt(scope, "a function without a plain name", node.name);
  else scope.reading.functions.add(value);
  readNode(node.body, scope, accounts);
  settle(scope.shell);
}

function readCoprocess(node: bash.Coproc, scope: Scope, accounts: Accounts): void {
  // In a substitution bash inserts the name COPROC before the command, where it would be a program.
  if (scope.rewritten) doubt(scope, "a coprocess in a substitution", node);
  if (node.name !== undefined) {
    accounts.takeWord(node.name);
    noteVariable(scope, node.name.text, "text", node.name);
  }
  readNode(node.body, inSubshell(scope), accounts);
}

/** Reads `[[ … ]]`: its words, and the operands that it evaluates as arithmetic. */
function readTest(expression: bash.TestExpression, scope: Scope): void {
  switch (expression.type) {
    case "TestUnary":
      return void (/^-[vR]$/.test(expression.operator) ? readSubscript : readWord)(expression.operand, scope);
    case "TestBinary": {
      const read = /^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator) ? readSubscript : readWord;
      read(expression.left, scope);
      return void read(expression.right, scope);
    }
    case "TestLogical":
      for (const operand of expression.operands) readTest(operand, scope);
      return;
    case "TestNot":
      return void readTest(expression.operand, scope);
    case "TestGroup":
      return void readTest(expression.expression, scope);
    default:
      doubt(scope, "an unknown kind of test", expression satisfies never);
  }
}
