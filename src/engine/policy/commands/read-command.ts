import type * as bash from "unbash";
import { type Word as BashWord, forEachChild, type ParsedScript, parse, type SyntaxNode } from "unbash";
import type {
  Assignment,
  CommandAnalysis,
  NotPlain,
  Redirection,
  SimpleCommand,
  Span,
  StartState,
  Word,
} from "./command.ts";
import { riskOf } from "./names.ts";
import { type Inner, innerCommands, runsElsewhere } from "./wrappers.ts";

/**
 * Finds the simple commands of a shell command, without running it: those of lists, pipes, substitutions, functions and
 * wrappers. A command of more than literals, quotes, globs, pipes, lists, groups and `for … in` is not plain. The result decides
 * when to ask, never what a command can do. Pure. `workspace` is its absolute path, so that a `cd` to it is recognised.
 */
export function readCommand(
  command: string,
  workspace = "",
  { directory, notPlain }: StartState = { directory: "" },
): CommandAnalysis {
  const whole = { start: 0, end: command.length };
  const reader = new Reader(workspace);
  const shell = { directory };
  if (notPlain !== undefined) reader.doubt(notPlain, whole);
  const reason = tooMuchToRead(command);
  if (reason !== undefined) reader.doubt(reason, whole);
  else {
    for (const found of hiddenCharacters(command)) reader.doubt(found.reason, found.span);
    try {
      reader.readText(command, { locate: (start, end) => ({ start, end }), shell, depth: 0 });
    } catch (error) {
      // Deep nesting that the checks above do not notice overflows the stack.
      if (!(error instanceof RangeError)) throw error;
      reader.doubt("a command that is nested too deeply", whole);
    }
  }
  const isPlain = reader.notPlain.length === 0;
  const commands = reader.commands.map((found) => (isPlain ? found : { ...found, isPlain }));
  const readsOnly =
    reason === undefined &&
    !reader.runsUnknown &&
    commands.length > 0 &&
    commands.every(
      ({ risk, redirections }) => risk === "read" && !redirections.some(({ kind }) => kind === "write"),
    );
  return { commands, notPlain: reader.notPlain, readsOnly, directory: shell.directory };
}

interface Scope {
  readonly locate: (start: number, end: number) => Span;
  /** The folder of the shell, which lasts from one command to the next. */
  readonly shell: { directory: string | undefined };
  /** The number of texts inside texts. */
  readonly depth: number;
  readonly isElsewhere?: true | undefined;
}

type Stretch = Pick<SyntaxNode, "pos" | "end">;

class Reader {
  readonly commands: SimpleCommand[] = [];
  readonly notPlain: NotPlain[] = [];
  /** Whether a program runs that no word names. */
  runsUnknown = false;
  readonly #workspace: string;
  #charactersLeft = 500_000;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  doubt(reason: string, span: Span): void {
    this.notPlain.push({ reason, span });
  }

  readText(source: string, scope: Scope): void {
    this.#charactersLeft -= source.length;
    if (scope.depth > deepest || this.#charactersLeft < 0) {
      this.runsUnknown = true;
      return void this.doubt("commands nested too deeply to follow", scope.locate(0, source.length));
    }
    this.#readScript(parse(source), source, scope);
  }

  #readScript(script: ParsedScript, source: string, scope: Scope): void {
    for (const { message, pos } of script.errors ?? []) {
      const span = scope.locate(pos, Math.max(pos, script.end));
      this.notPlain.push({ reason: `a syntax error: ${message}`, span, isSyntax: true });
    }
    const before = this.notPlain.length;
    const taken: Stretch[] = [];
    for (const statement of script.commands) this.#read(statement, source, scope, taken);
    // The grammar is tolerant. In a plain command each character belongs to a word or to a sign that joins words.
    if (this.notPlain.length === before && !isAccountedFor(source, script, taken))
      this.doubt("text that belongs to no command", scope.locate(script.pos, script.end));
  }

  #read(node: SyntaxNode, source: string, scope: Scope, taken: Stretch[]): void {
    const read = (child: SyntaxNode, inner = scope) => this.#read(child, source, inner, taken);
    const inSubshell = () => ({ ...scope, shell: { ...scope.shell } });
    switch (node.type) {
      case "Statement":
        return void read(node.command, node.background === true ? inSubshell() : scope);
      case "CompoundList":
        for (const statement of node.commands) read(statement);
        return;
      case "AndOr":
        for (const command of node.commands) read(command);
        return;
      case "BraceGroup":
        return void read(node.body);
      case "Pipeline":
        taken.push(...node.prefixes);
        for (const command of node.commands) read(command, node.commands.length > 1 ? inSubshell() : scope);
        return;
      case "Subshell":
        if (source.startsWith("((", node.pos))
          this.#doubtAt("parentheses that may be arithmetic", node, scope);
        return void read(node.body, inSubshell());
      case "For":
        taken.push(node.name);
        for (const word of node.wordlist ?? []) this.#readWord(word, source, scope, taken);
        if (node.wordlist === undefined) this.#doubtAt("a loop over arguments", node, scope);
        return void read(node.body);
      case "Redirected":
        this.#add(node, [], node.redirects, source, scope, taken);
        return void read(node.command);
      case "Command":
        return void this.#add(node, node.prefix, node.redirects, source, scope, taken);
      case "Word":
        return void this.#readWord(node, source, scope, taken);
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        return void this.#readSubstitution(node, source, inSubshell());
      default:
        if (!isQuiet.test(node.type)) this.#doubtAt(nameOf(node), node, scope);
        return void forEachChild(node, (child) => read(child));
    }
  }

  #doubtAt(reason: string, { pos, end }: Stretch, scope: Scope): void {
    this.doubt(reason, scope.locate(pos, end));
  }

  #readSubstitution(
    node: bash.CommandExpansionPart | bash.ProcessSubstitutionPart | bash.ArithmeticCommandExpansion,
    source: string,
    scope: Scope,
  ): void {
    this.#doubtAt("a substitution", node, scope);
    const { script } = node;
    if (script === undefined) {
      this.runsUnknown = true;
      return;
    }
    const span = scope.locate(node.pos, node.end);
    const locate = script.source === undefined ? scope.locate : () => span;
    this.#readScript(script, script.source ?? source, { ...scope, locate });
  }

  #add(
    node: Stretch & { readonly name?: BashWord | undefined; readonly args?: bash.Command["args"] },
    prefix: bash.Command["prefix"],
    redirects: readonly bash.Redirection[],
    source: string,
    scope: Scope,
    taken: Stretch[],
  ): void {
    const assignments = prefix.flatMap((item): Assignment[] =>
      item.type === "Assignment" ? [this.#readAssignment(item, source, scope, taken)] : [],
    );
    const words = [...(node.name === undefined ? [] : [node.name]), ...(node.args ?? [])].map((word) =>
      word.type === "Word"
        ? this.#readWord(word, source, scope, taken)
        : this.#declared(word, source, scope, taken),
    );
    const redirections = redirects.flatMap((redirect) =>
      this.#readRedirection(redirect, source, scope, taken),
    );
    const from = node.name === undefined && prefix.length === 0 ? (redirects[0]?.pos ?? node.pos) : node.pos;
    this.#interpret({ span: scope.locate(from, node.end), words, assignments, redirections }, scope);
  }

  #interpret(
    given: Pick<SimpleCommand, "span" | "words" | "assignments" | "redirections">,
    scope: Scope,
  ): void {
    const { words, assignments, span } = given;
    const [name] = words;
    const program = name?.value === undefined ? undefined : systemProgram(name.value);
    const { shell, isElsewhere } = scope;
    const command = { ...given, program, directory: shell.directory, isPlain: true, isElsewhere };
    this.commands.push({ ...command, risk: riskOf(command) });
    if (name !== undefined && name.value === undefined) {
      this.runsUnknown = true;
      this.doubt("an expansion as the name of the program", name.span);
    }
    if (name === undefined && assignments.length > 0) this.doubt("a variable of the shell", span);
    if (program === undefined) return;
    const stores = program === "printf" && words.some(({ value }) => value === "-v");
    if (stores || reshaping.test(program))
      this.doubt(`${program}, which may change what later commands mean`, span);
    const before = this.notPlain.length;
    for (const inner of innerCommands(command)) this.#readInner(inner, program, scope);
    // A shell elsewhere gets exactly these words, also if only it understands them.
    if (runsElsewhere(program)) this.notPlain.length = before;
    if (/^(?:cd|pushd|popd)$/.test(program)) this.#move(program, words.slice(1), scope);
  }

  #readInner(inner: Inner, program: string, scope: Scope): void {
    const shell = inner.kind === "script" && inner.inSameShell ? scope.shell : { ...scope.shell };
    const isElsewhere = scope.isElsewhere ?? (inner.kind === "unknown" ? undefined : inner.isElsewhere);
    const own = { ...scope, shell, depth: scope.depth + 1, isElsewhere };
    if (inner.kind === "unknown") {
      this.runsUnknown = true;
      const end = this.commands.at(-1)!.span;
      return void this.doubt(inner.reason, end);
    }
    if (inner.kind === "words") {
      const [first] = inner.words;
      if (first === undefined) return;
      const span = { start: first.span.start, end: Math.max(first.span.end, inner.words.at(-1)!.span.end) };
      if (own.depth > deepest) return void this.doubt("commands nested too deeply to follow", span);
      return void this.#interpret({ span, words: inner.words, assignments: [], redirections: [] }, own);
    }
    const { script } = inner;
    if (script.value === undefined) {
      this.runsUnknown = true;
      return void this.doubt(`the commands for ${program} are known only at run time`, script.span);
    }
    this.readText(script.value, { ...own, locate: locator(script) });
  }

  /** Follows `cd`. If it fails, the next command runs in the folder before, which rules about names do not need. */
  #move(program: string, words: readonly Word[], { shell }: Scope): void {
    const [target, ...more] = words.filter(({ value }) => !/^-[LPe@]$|^--$/.test(value ?? ""));
    const isPlain = program === "cd" && more.length === 0 && target?.value !== "-";
    shell.directory = isPlain ? join(shell.directory, target?.value, this.#workspace) : undefined;
  }

  #readAssignment(item: bash.Assignment, source: string, scope: Scope, taken: Stretch[]): Assignment {
    const span = scope.locate(item.pos, item.end);
    taken.push(item);
    if (item.index !== undefined || item.value.type !== "Word") {
      this.doubt("an array", span);
      if (item.index !== undefined) this.#read(item.index, source, scope, []);
      forEachChild(item, (child) => this.#read(child, source, scope, []));
      return { name: item.name, value: undefined, span };
    }
    return { name: item.name, value: this.#readWord(item.value, source, scope, []), span };
  }

  /** Reads `NAME=value` after `export`. */
  #declared(item: bash.Assignment, source: string, scope: Scope, taken: Stretch[]): Word {
    const { name, value, span } = this.#readAssignment(item, source, scope, taken);
    const known = value?.value === undefined ? undefined : `${name}=${value.value}`;
    return { text: item.text, span, value: known, start: known ?? `${name}=`, isInHome: false };
  }

  #readRedirection(
    redirect: bash.Redirection,
    source: string,
    scope: Scope,
    taken: Stretch[],
  ): readonly Redirection[] {
    taken.push(redirect);
    const span = scope.locate(redirect.pos, redirect.end);
    if (redirect.type === "HereDoc") {
      this.#doubtAt("a here-document", redirect, scope);
      const { body } = redirect;
      const isKnown = body.parts === undefined || body.parts.every(({ type }) => type === "Literal");
      for (const part of body.parts ?? []) this.#read(part, source, scope, []);
      const at = scope.locate(body.pos, body.end);
      const value = isKnown ? body.text : undefined;
      return [
        {
          kind: "text",
          span,
          target: { text: body.text, span: at, value, start: value ?? "", isInHome: false },
        },
      ];
    }
    if (redirect.target === undefined || redirect.descriptor?.type === "FileDescriptorVariable") {
      this.doubt("a redirection that is not plain", span);
      return [];
    }
    const target = this.#readWord(redirect.target, source, scope, []);
    if (redirect.type === "HereString") {
      this.doubt("a here-string", span);
      return [{ kind: "text", span, target }];
    }
    const copies = redirect.operator === ">&" || redirect.operator === "<&";
    if (copies && /^(?:\d+-?|-)$/.test(target.text)) return [{ kind: "descriptor", span, target }];
    if (copies) this.doubt("a redirection that is not plain", span);
    if (target.value === undefined)
      this.doubt("a redirection to a file that is known only at run time", span);
    if (isDevice.test(target.value ?? "")) return [{ kind: "descriptor", span, target }];
    return [{ kind: redirect.operator === "<" ? "read" : "write", span, target }];
  }

  #readWord(word: BashWord, source: string, scope: Scope, taken: Stretch[]): Word {
    taken.push(word);
    const parts = word.parts ?? [
      { type: "Literal" as const, ...spanOf(word), text: word.text, value: word.value },
    ];
    let value: string | undefined = "";
    let start = "";
    const add = (text: string | undefined): void => {
      if (value !== undefined && text !== undefined) start += text;
      value = value === undefined || text === undefined ? undefined : value + text;
    };
    let at = word.pos;
    for (const part of parts) {
      if (part.pos !== at) this.#doubtAt("a word that was not parsed completely", word, scope);
      at = part.end;
      add(this.#textOf(part, word, source, scope));
    }
    if (at !== word.end) this.#doubtAt("a word that was not parsed completely", word, scope);
    const isInHome = /^(?:~(?:\/|$)|\$HOME|\$\{HOME\}|"\$HOME|"\$\{HOME\})/.test(word.text);
    return { text: word.text, span: scope.locate(word.pos, word.end), value, start, isInHome };
  }

  /** Returns the text of a part; undefined if only the shell knows it. */
  #textOf(part: bash.WordPart, word: BashWord, source: string, scope: Scope): string | undefined {
    switch (part.type) {
      case "Literal":
        if (
          holdsMore.test(part.text.replace(/\\[\s\S]/g, "_")) ||
          (/\{/.test(part.text) && /,|\.\./.test(word.text))
        )
          this.#doubtAt("text that may contain an expansion", part, scope);
        // `~name` is another home.
        if (/^~[^/]/.test(part.text) && part.pos === word.pos)
          this.#doubtAt("another home folder", part, scope);
        return part.value;
      case "SingleQuoted":
        if (part.text !== `'${part.value}'`)
          this.#doubtAt("a quotation that was not parsed completely", part, scope);
        return part.value;
      case "AnsiCQuoted":
        this.#doubtAt("a quotation with escapes", part, scope);
        return part.value;
      case "DoubleQuoted": {
        let text: string | undefined = "";
        for (const inner of part.parts) {
          if (inner.type === "Literal" && /`|\$[\w@*#?!$({['"-]/.test(inner.text.replace(/\\./g, "_")))
            this.#doubtAt("text that may contain an expansion", inner, scope);
          const known = inner.type === "Literal" ? inner.value : this.#textOf(inner, word, source, scope);
          text = text === undefined || known === undefined ? undefined : text + known;
        }
        return text;
      }
      case "Glob":
        return undefined;
      case "SimpleExpansion":
      case "ParameterExpansion":
        if (/^\$(?:HOME|\{HOME\})$/.test(part.text)) return "~";
        this.#read(part, source, scope, []);
        return undefined;
      default:
        this.#read(part, source, scope, []);
        return undefined;
    }
  }
}

const deepest = 16;

/** Nodes that hold words and commands, and are not worth a reason of their own. */
const isQuiet = /^(?:Elif|CaseItem|Literal|Parameter(?!Expansion)|Arithmetic(?!For|Command)|Test(?!Command))/;

function nameOf({ type }: SyntaxNode): string {
  return names[type] ?? "an expansion";
}

const names: Readonly<Record<string, string>> = {
  ArithmeticCommand: "arithmetic",
  ArithmeticFor: "a loop",
  Case: "a case",
  Coproc: "a coprocess",
  Function: "a function",
  If: "a condition",
  Select: "a loop",
  SimpleExpansion: "a variable",
  ParameterExpansion: "a variable",
  TestCommand: "a test",
  While: "a loop",
};

/** Builtins that change variables, functions or options of the shell, or what its words mean. */
const reshaping =
  /^(?:\.|source|alias|bind|compgen|complete|declare|enable|eval|exec|export|fc|getopts|hash|let|local|mapfile|readarray|read|readonly|set|shopt|trap|typeset|unalias|unset)$/;

const isDevice = /^\/dev\/(?:null|stdin|stdout|stderr|zero|tty|fd\/\d+)$/;

/** Unquoted text in which a shell would find more than a grammar that misses it. */
const holdsMore = /[\s;&|<>()'"`]|\$[\w@*#?!$({['"-]/;

/** Returns whether all text between the words joins words. */
function isAccountedFor(source: string, script: Stretch, taken: readonly Stretch[]): boolean {
  let at = script.pos;
  const ordered = taken.toSorted((one, other) => one.pos - other.pos);
  for (const { pos, end } of [...ordered, { pos: script.end, end: script.end }]) {
    // Two words without anything between them are one word to the shell.
    if (pos < at || (pos === at && pos > script.pos && pos < script.end)) return false;
    if (!joining.test(source.slice(at, pos))) return false;
    at = end;
  }
  return true;
}

const joining = /^(?:[ \t\n;&|(){}!]|(?<=[ \t])\\\n|#[^\n]*(?=\n|$)|\b(?:for|in|do|done)\b)*$/;

function spanOf({ pos, end }: Stretch): Stretch {
  return { pos, end };
}

/** Maps positions in a text: exactly if the word is written as it reads, else to the whole word. */
function locator(word: Word): Scope["locate"] {
  const offset = word.text.indexOf(word.value ?? "");
  const isExact = offset >= 0 && word.text.length === word.span.end - word.span.start;
  if (!isExact) return () => word.span;
  const base = word.span.start + offset;
  return (start, end) => ({ start: base + start, end: base + end });
}

/** Returns the name of a program that is found on the PATH or in a system folder. */
function systemProgram(path: string): string | undefined {
  if (!path.includes("/")) return path;
  return /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/.exec(path)?.[1];
}

function join(from: string | undefined, to: string | undefined, workspace: string): string | undefined {
  if (to === undefined || to === "" || to.length > 4096) return undefined;
  if (workspace !== "" && (to === workspace || to === `${workspace}/`)) return "";
  if (/^[/~]/.test(to)) return to;
  if (from === undefined) return undefined;
  if (to === "." || to === "./") return from;
  return from === "" ? to : `${from}/${to}`;
}

/** Finds characters that make a command look different from what it runs, or that no shell accepts. */
export function hiddenCharacters(command: string): readonly NotPlain[] {
  return [...command.matchAll(hidden)].slice(0, 20).map((match) => {
    const [character] = match;
    const code = character.codePointAt(0)!;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const reason = code === 0 ? "a NUL character" : `an invisible character (${name})`;
    return { reason, span: { start: match.index, end: match.index + character.length } };
  });
}

/** Matches control characters except tab and newline, unusual blanks, zero-width marks outside emoji, lone surrogates. */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  /[\0-\x08\x0b-\x1f\x7f-\xa0\xad]|\u034f|\u180b|\u180c|\u180d|\u180f|[\ufe00-\ufe0e]|[\u061c\u115f\u1160\u1680\u180e\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164]|(?<![\xa9\xae\u203c-\u3299\udc00-\udfff\d#*])\ufe0f|(?<![\u2600-\u27bf\udc00-\udfff]|\ufe0f)\u200d|[\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns why a command is not parsed: it would take too long. Real commands are far below these limits. */
function tooMuchToRead(command: string): string | undefined {
  // Linux does not accept an argument of 128 KiB.
  if (command.length >= 128 * 1024) return "a command that is too long";
  let depth = 0;
  for (const [sign] of command.matchAll(/[(){}]/g)) {
    depth = sign === "(" || sign === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > 100) return "a command that is nested too deeply";
  }
  return command.split("<<").length > 501 ? "too many here-documents" : undefined;
}
