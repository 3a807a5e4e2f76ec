import {
  define,
  foreign,
  kinds,
  type Meaning,
  refer,
  reference,
  type ScopeRules,
  textOf,
  unclear,
  type Way,
} from "../scope-rules.ts";

/** Functions have names of their own. */
const functions = kinds.private;

/** A function sees the variables of whoever calls it, local ones as well: in one file a name is one variable. */
export const bash: ScopeRules = {
  names: { variable_name: reference, word: unclear, extglob_pattern: foreign },
  places: {
    "subscript.name": "up",
    "variable_assignment.name": assigned,
    "variable_assignment.value": foreign,
    "for_statement.variable": define({ in: "file" }),
    "for_statement.value": foreign,
    "case_statement.value": foreign,
    "case_item.value": foreign,
    declaration_command: (way, at) => (isExported(way, at) ? unclear : define({ in: "file" })),
    "function_definition.name": define({ in: "file", kind: functions, isPublic: true }),
    command_name: refer({ kind: functions }),
    array: foreign,
    binary_expression: ({ steps }) => (steps.at(-1)!.type === "word" ? unclear : reference),
  },
  scopes: {},
  within: inText,
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "if then else elif fi case esac for select while until do done in function time coproc BASH DIRSTACK EUID FUNCNAME GROUPS " +
    "HOME HOSTNAME IFS LANG LINENO MAILPATH OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS PPID PS1 PS2 PS4 PWD RANDOM " +
    "REPLY SECONDS SHELL SHELLOPTS SHLVL UID USER _",
  byName: /\b(?:eval|source)\b|^\s*\.\s/m,
};

/** `name=1 program` and `export name=1` are for programs that know the name. */
function assigned(way: Way, at: number): Meaning {
  const holder = way.steps[at - 2];
  if (holder?.type === "command" || isExported(way, at - 1)) return unclear;
  return define({ in: "file" });
}

function isExported(way: Way, at: number): boolean {
  const holder = way.steps[at - 1];
  return holder?.type === "declaration_command" && /^(?:export|\w+\s+-\w*[xn])/.test(textOf(way, holder));
}

/** What is run later, as the word of `trap`, and what is an assignment to some commands. */
function inText(
  way: Way,
  { start, end }: { readonly start: number; readonly end: number },
): Meaning | undefined {
  const { type } = way.steps.at(-1)!;
  const before = way.text.slice(Math.max(0, start - 2), start);
  if (type === "raw_string") return /\$\{?$/.test(before) ? unclear : undefined;
  if (type !== "word" && type !== "concatenation") return undefined;
  return /^(?:\+?=|\[)/.test(way.text.slice(end)) && !/[\w./-]$/.test(before) ? unclear : undefined;
}
