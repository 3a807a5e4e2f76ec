import type * as bash from "unbash";
import type { Assignment, Redirection, Word } from "../analysis.ts";
import { readHereDocument, readSubscript, readWord } from "./read-word.ts";
import { doubt, noteVariable, type ReadCommand, type Scope, type Stretch } from "./scope.ts";

/** Reads one simple command with its words, including the substitutions in them. */
export function readCommand(command: bash.Command, scope: Scope): ReadCommand {
  const assignments = command.prefix
    .filter((item) => item.type === "Assignment")
    .map((item) => readAssignment(item, scope));
  const words = command.name === undefined ? [] : [readWord(command.name, scope)];
  for (const argument of command.args) {
    if (argument.type === "Word") words.push(readWord(argument, scope));
    else words.push(declaredWord(argument, scope));
  }
  // After a redirection a keyword names a program, but bash may print a substitution again with the redirection last.
  if (command.name !== undefined && reserved.test(command.name.text))
    doubt(scope, "a keyword as the name of the program", command.name);
  const span = scope.locate(command.pos, command.end);
  return { span, words, assignments, redirections: readRedirections(command.redirects, scope) };
}

const reserved =
  /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc|!|\{|\}|\[\[|\]\])$/;

export function readRedirections(redirects: readonly bash.Redirection[], scope: Scope): Redirection[] {
  return redirects.flatMap((redirect) => {
    if (redirect.descriptor?.type === "FileDescriptorVariable") noteDescriptor(redirect.descriptor, scope);
    const span = scope.locate(redirect.pos, redirect.end);
    const descriptor = descriptorOf(redirect);
    if (redirect.type === "HereDoc") {
      if (redirect.closing === undefined) doubt(scope, "a here-document that does not end", redirect);
      return [{ kind: "text", target: readHereDocument(redirect, scope), descriptor, span }];
    }
    if (redirect.target === undefined) {
      doubt(scope, "a redirection without a target", redirect);
      return [];
    }
    const target = readWord(redirect.target, scope);
    if (redirect.type === "HereString") return [{ kind: "text", target, descriptor, span }];
    return [{ kind: kindOf(redirect, target, scope), target, descriptor, span }];
  });
}

function descriptorOf({ descriptor }: bash.Redirection): Redirection["descriptor"] {
  return descriptor?.type === "FileDescriptor" ? descriptor.value : descriptor && "variable";
}

const kinds = {
  "<": "read",
  ">": "write",
  ">|": "write",
  "&>": "write",
  ">>": "append",
  "&>>": "append",
  "<>": "read and write",
} as const satisfies Partial<Record<bash.RedirectOperator, Redirection["kind"]>>;

/** Returns the kind of a redirection: `>&2` and `<&-` copy and close descriptors, and `>&file` writes. */
function kindOf(redirect: bash.Redirect, target: Word, scope: Scope): Redirection["kind"] {
  if (redirect.operator !== ">&" && redirect.operator !== "<&") return kinds[redirect.operator];
  if (target.value !== undefined && /^(?:\d+-?|-)$/.test(target.text)) {
    if (/^\d\d/.test(target.text)) doubt(scope, shellsOwn, redirect);
    return "descriptor";
  }
  const plain = target.value !== undefined && !/^[\d-]/.test(target.text);
  if (redirect.operator === ">&" && plain) return "write";
  doubt(scope, "a redirection to an unknown descriptor", redirect);
  return "write";
}

// Bash uses high descriptors for its own files, and in a persistent shell for the source of its next commands.
const shellsOwn = "a descriptor that the shell may use itself";

function readAssignment(item: bash.Assignment, scope: Scope): Assignment {
  const span = scope.locate(item.pos, item.end);
  if (item.index !== undefined) readIndex(item.index, scope);
  if (item.value.type === "Word") return { name: item.name, value: readWord(item.value, scope), span };
  scope.reading.arrays.add(item.name);
  for (const element of item.value.elements) {
    // `[index]=value` inside an array is arithmetic and text in one word.
    if (element.text.startsWith("[")) doubt(scope, "an array with subscripts", element);
    readWord(element, scope);
  }
  return { name: item.name, value: undefined, span };
}

/** Reads a subscript. Bash may read one that is not plain as part of a program name. */
function readIndex(index: bash.Word, scope: Scope): void {
  if (!/^(?:[\w +*/%-]+|\$\w+|\$\{\w+\})$/.test(index.text))
    doubt(scope, "a subscript that is not plain", index);
  readSubscript(index, scope);
}

/** Reads `NAME=value` after `export`, an assignment that is also a word and is never split. */
function declaredWord(item: bash.Assignment, scope: Scope): Word {
  const { name, value, span } = readAssignment(item, scope);
  const known = value?.value;
  const text = known === undefined || item.index !== undefined ? undefined : `${name}=${known}`;
  const whole = (value?.parts ?? []).map((part) =>
    typeof part === "string" ? part : { ...part, splits: false },
  );
  const parts = text === undefined ? [`${name}=`, ...whole] : [text];
  return { text: item.text, span, parts, value: text };
}

function noteDescriptor(at: Stretch & { readonly name: string }, scope: Scope): void {
  if (!/^[A-Za-z_]\w*$/.test(at.name))
    doubt(scope, "a descriptor stored in something other than a variable", at);
  noteVariable(scope, at.name, "number", at);
}
