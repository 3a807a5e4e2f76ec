import type * as bash from "unbash";
import { interpretCommand } from "../interpret-command.ts";
import { Accounts } from "./accounts.ts";
import { readArithmetic } from "./read-arithmetic.ts";
import { readCommand, readRedirections } from "./read-command.ts";
import { readForList } from "./read-for-list.ts";
import { readTest } from "./read-test.ts";
import { readWord } from "./read-word.ts";
import { doubt, noteVariable, type Scope } from "./scope.ts";

/** Finds every simple command of a parsed script, whatever it stands in. */
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

/** After `cd there;` nobody knows whether it worked. */
function settle(shell: Scope["shell"]): void {
  if (shell.moved) shell.directory = undefined;
  shell.moved = false;
}

function readNode(node: Node, scope: Scope, accounts: Accounts): void {
  switch (node.type) {
    case "Command":
      accounts.take(node);
      interpretCommand(readCommand(node, scope), scope);
      return;
    case "CompoundList":
      readStatements(node.commands, scope, accounts);
      return;
    case "AndOr":
      node.commands.forEach((command, place) => {
        if (place > 0 && node.operators[place - 1] === "||") settle(scope.shell);
        readNode(command, scope, accounts);
      });
      return;
    case "Pipeline":
      for (const prefix of node.prefixes) accounts.takeSpan(prefix);
      for (const command of node.commands) {
        const own = node.commands.length > 1 ? { ...scope.shell } : scope.shell;
        readNode(command, { ...scope, shell: own }, accounts);
      }
      return;
    case "Redirected":
      for (const redirect of node.redirects) accounts.takeRedirection(redirect);
      interpretCommand(redirectionsOnly(node, scope), scope);
      readNode(node.command, scope, accounts);
      return;
    case "Subshell":
      if (scope.source.startsWith("((", node.pos)) doubt(scope, "parentheses that may be arithmetic", node);
      readNode(node.body, { ...scope, shell: { ...scope.shell } }, accounts);
      return;
    case "BraceGroup":
      readNode(node.body, scope, accounts);
      return;
    case "If":
      readNode(node.clause, scope, accounts);
      readNode(node.then, scope, accounts);
      for (const branch of node.elif) {
        readNode(branch.clause, scope, accounts);
        readNode(branch.then, scope, accounts);
      }
      if (node.else !== undefined) readNode(node.else, scope, accounts);
      return;
    case "While":
      readLoop(scope, () => {
        readNode(node.clause, scope, accounts);
        readNode(node.body, scope, accounts);
      });
      return;
    case "For":
    case "Select":
      accounts.takeWord(node.name);
      for (const word of node.wordlist ?? []) accounts.takeWord(word);
      readForList(node, scope);
      readLoop(scope, () => readNode(node.body, scope, accounts));
      return;
    case "ArithmeticFor":
      accounts.takeHeader(node);
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) readArithmetic(part, part, scope);
      readLoop(scope, () => readNode(node.body, scope, accounts));
      return;
    case "Case":
      accounts.takeWord(node.word);
      readWord(node.word, scope);
      for (const item of node.items) {
        for (const pattern of item.pattern) {
          accounts.takeWord(pattern);
          readWord(pattern, scope);
        }
        readNode(item.body, scope, accounts);
      }
      return;
    case "Function":
      accounts.takeWord(node.name);
      readFunctionName(node.name, scope);
      readNode(node.body, { ...scope, deferred: true }, accounts);
      settle(scope.shell);
      return;
    case "Coproc":
      // There bash puts the name COPROC before the command, where it is a program.
      if (scope.rewritten) doubt(scope, "a coprocess in a substitution", node);
      if (node.name !== undefined) {
        accounts.takeWord(node.name);
        noteVariable(scope, node.name.text, "text", node.name);
      }
      readNode(node.body, { ...scope, shell: { ...scope.shell } }, accounts);
      return;
    case "TestCommand":
      accounts.takeSpan(node);
      readTest(node.expression, scope);
      return;
    case "ArithmeticCommand":
      accounts.takeSpan(node);
      readArithmetic(node.expression, node, scope);
      return;
    default:
      doubt(scope, "an unknown kind of command", node satisfies never);
  }
}

function readFunctionName(name: bash.Word, scope: Scope): void {
  const { value } = readWord(name, scope);
  if (value === undefined) doubt(scope, "a function without a plain name", name);
  else scope.reading.functions.add(value);
}

/** What a later round changes holds for the earlier commands of the loop, too. */
function readLoop(scope: Scope, readBody: () => void): void {
  const { commands, loops } = scope.reading;
  const first = commands.length;
  const before = scope.shell.directory;
  readBody();
  loops.push({ first, end: commands.length });
  if (scope.shell.directory === before && !scope.shell.moved) return;
  for (let place = first; place < commands.length; place++)
    commands[place] = { ...commands[place]!, directory: undefined };
}

function redirectionsOnly(node: bash.Redirected, scope: Scope): Parameters<typeof interpretCommand>[0] {
  const redirections = readRedirections(node.redirects, scope);
  const span = scope.locate(node.redirects[0]?.pos ?? node.pos, node.end);
  return { span, words: [], assignments: [], redirections };
}
