import type * as bash from "unbash";
import { isNumeric } from "../analysis.ts";
import { Accounts } from "./accounts.ts";
import { readCommand, readRedirections } from "./read-command.ts";
import { readArithmetic, readSubscript, readWord } from "./read-word.ts";
import { doubt, noteVariable, type Scope } from "./scope.ts";

/** Finds every simple command of a parsed script, at any depth. */
export function readScript(script: bash.ParsedScript, scope: Scope): void {
  for (const { message, pos } of script.errors ?? [])
    doubt(scope, `a syntax error: ${message}`, { pos, end: Math.max(pos, script.end) });
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

/** After `cd directory;` it is unknown whether the `cd` worked. */
function settle(shell: Scope["shell"]): void {
  if (shell.moved) shell.directory = undefined;
  shell.moved = false;
}

function readNode(node: Node, scope: Scope, accounts: Accounts): void {
  switch (node.type) {
    case "Command":
      accounts.take(node);
      scope.reading.interpreter.interpretCommand(readCommand(node, scope), scope);
      break;
    case "CompoundList":
      readStatements(node.commands, scope, accounts);
      break;
    case "AndOr":
      readAndOr(node, scope, accounts);
      break;
    case "Pipeline":
      readPipeline(node, scope, accounts);
      break;
    case "Redirected":
      readRedirected(node, scope, accounts);
      break;
    case "Subshell":
      readSubshell(node, scope, accounts);
      break;
    case "BraceGroup":
      readNode(node.body, scope, accounts);
      break;
    case "If":
      readIf(node, scope, accounts);
      break;
    case "While":
      readWhile(node, scope, accounts);
      break;
    case "For":
    case "Select":
      readFor(node, scope, accounts);
      break;
    case "ArithmeticFor":
      readArithmeticFor(node, scope, accounts);
      break;
    case "Case":
      readCase(node, scope, accounts);
      break;
    case "Function":
      readFunction(node, scope, accounts);
      break;
    case "Coproc":
      readCoprocess(node, scope, accounts);
      break;
    case "TestCommand":
      accounts.takeSpan(node);
      readTest(node.expression, scope);
      break;
    case "ArithmeticCommand":
      accounts.takeSpan(node);
      readArithmetic(node.expression, node, scope);
      break;
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

function readSubshell(node: bash.Subshell, scope: Scope, accounts: Accounts): void {
  if (scope.source.startsWith("((", node.pos)) doubt(scope, "parentheses that may be arithmetic", node);
  readNode(node.body, inSubshell(scope), accounts);
}

/** Changes of the directory inside do not last. */
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

function readWhile(node: bash.While, scope: Scope, accounts: Accounts): void {
  readLoop(scope, () => {
    readNode(node.clause, scope, accounts);
    readNode(node.body, scope, accounts);
  });
}

/** `for name in words`: the words are expanded once, then the variable takes each. */
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

/** A `cd` in one round also affects the earlier commands of the loop. */
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
  // In a substitution bash inserts the name COPROC before the command, where it is a program.
  if (scope.rewritten) doubt(scope, "a coprocess in a substitution", node);
  if (node.name !== undefined) {
    accounts.takeWord(node.name);
    noteVariable(scope, node.name.text, "text", node.name);
  }
  readNode(node.body, inSubshell(scope), accounts);
}

/** `[[ … ]]`: its words, and the operands that it evaluates as arithmetic. */
function readTest(expression: bash.TestExpression, scope: Scope): void {
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
