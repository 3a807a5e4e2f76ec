import type { TextSpan } from "../../lines.ts";
import {
  argument,
  define,
  each,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  type NodePath,
  refer,
  reference,
  type ScopeRules,
  scopesOf,
  textOf,
  unclear,
} from "../scope-rules.ts";

/** Functions have a namespace of their own. */
const bashFunctions = kinds.private;

/** A function sees the variables of its callers, local ones too: in one file a name is one variable. */
export const bash: ScopeRules = {
  names: { variable_name: reference, word: unclear, extglob_pattern: foreign },
  positions: {
    "subscript.name": "up",
    "variable_assignment.name": bashAssignment,
    ...each(
      "variable_assignment.value for_statement.value case_statement.value case_item.value array",
      foreign,
    ),
    "for_statement.variable": define({ in: "file" }),
    declaration_command: (way, at) => (isBashExport(way, at) ? unclear : define({ in: "file" })),
    "function_definition.name": define({ in: "file", kind: bashFunctions, isPublic: true }),
    command_name: refer({ kind: bashFunctions }),
    binary_expression: ({ steps }) => (steps.at(-1)!.type === "word" ? unclear : reference),
  },
  scopes: {},
  within: inBashText,
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "if then else elif fi case esac for select while until do done in function time coproc BASH DIRSTACK EUID FUNCNAME GROUPS " +
    "HOME HOSTNAME IFS LANG LINENO MAILPATH OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS PPID PS1 PS2 PS4 PWD RANDOM " +
    "REPLY SECONDS SHELL SHELLOPTS SHLVL UID USER _",
  byName: /\b(?:eval|source)\b|^\s*\.\s/m,
};

/** `name=1 program` and `export name=1` pass the name to programs. */
function bashAssignment(way: NodePath, at: number): Meaning {
  const holder = way.steps[at - 2];
  if (holder?.type === "command" || isBashExport(way, at - 1)) return unclear;
  return define({ in: "file" });
}

function isBashExport(way: NodePath, at: number): boolean {
  const holder = way.steps[at - 1];
  return holder?.type === "declaration_command" && /^(?:export|\w+\s+-\w*[xn])/.test(textOf(way, holder));
}

/**
 * Text that is evaluated later, like the argument of `trap`, and arguments that some commands take as assignments.
 */
function inBashText(way: NodePath, { start, end }: TextSpan): Meaning | undefined {
  const { type } = way.steps.at(-1)!;
  const before = way.text.slice(Math.max(0, start - 2), start);
  if (type === "raw_string") return /\$\{?$/.test(before) ? unclear : undefined;
  if (type !== "word" && type !== "concatenation") return undefined;
  return /^(?:\+?=|\[)/.test(way.text.slice(end)) && !/[\w./-]$/.test(before) ? unclear : undefined;
}

export const lua: ScopeRules = {
  names: { identifier: reference },
  positions: {
    "variable_list.name": luaVariable,
    "function_declaration.name": (way, at) =>
      way.steps[at - 1]!.field === "local_declaration"
        ? inLuaBody(way, at - 2, define({ in: "nearest", renews: true, from: way.steps[at - 1]!.start }))
        : reference,
    "parameters.name": define(),
    "for_numeric_clause.name": define(),
    "dot_index_expression.field": member,
    "method_index_expression.method": member,
    "field.name": (way, at) => (way.text[way.steps[at - 1]!.start] === "[" ? reference : member),
    attribute: foreign,
    label_statement: define({ in: "function", kind: kinds.label }),
    goto_statement: refer({ kind: kinds.label }),
  },
  scopes: scopesOf({
    block: "block for_statement repeat_statement",
    function: "function_declaration function_definition",
  }),
  isSeenBy: ({ steps }, index) =>
    steps[index]!.type !== "for_statement" || steps[index + 1]?.field === "body",
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while",
  byName: /\bload(?:string)?\s*\(|\bgetfenv\s*\(|\b_G\b|\b_ENV\b|\bdebug\.\w+local\b/,
};

/** `local` begins a new variable, visible after its statement; otherwise an assignment is to an existing one. */
function luaVariable(way: NodePath, at: number): Meaning {
  const holder = way.steps[at - 2]!;
  if (holder.type === "for_generic_clause") return define();
  const index = holder.type === "variable_declaration" ? at - 2 : at - 3;
  const declaration = way.steps[index];
  if (declaration?.type !== "variable_declaration") return reference;
  return inLuaBody(way, index, define({ renews: true, from: declaration.end }));
}

/** The condition of `repeat` sees the declarations of its body. */
function inLuaBody({ steps }: NodePath, at: number, definition: ReturnType<typeof define>): Meaning {
  const block = steps.slice(0, at + 1).findLastIndex(({ type }) => lua.scopes[type] !== undefined);
  const index = steps[block - 1]?.type === "repeat_statement" ? block - 1 : block;
  return { ...definition, at: Math.max(0, index) };
}

/** Variables belong to a whole function, or to the file. */
export const php: ScopeRules = {
  names: { name: (way) => (isPhpVariable(way) ? reference : foreign) },
  positions: {
    ...each("variable_name list_literal by_ref pair", "up"),
    ...each(
      "assignment_expression.left reference_assignment_expression.left " +
        "augmented_assignment_expression.left static_variable_declaration.name catch_clause.name",
      phpAssignment,
    ),
    foreach_statement: (way, at) =>
      /\bas\b/.test(textOf(way, { start: way.steps[at - 1]!.start, end: way.steps[at]!.start }))
        ? phpAssignment(way)
        : reference,
    "simple_parameter.name": define({ isArgument: true }),
    "variadic_parameter.name": define({ isArgument: true }),
    "property_promotion_parameter.name": define({ isMember: true }),
    "property_element.name": memberDefinition,
    "scoped_property_access_expression.name": member,
    ...each(
      "member_access_expression.name nullsafe_member_access_expression.name member_call_expression.name " +
        "nullsafe_member_call_expression.name",
      phpMember,
    ),
    "argument.name": argument,
    global_declaration: refer({ declares: "file" }),
    anonymous_function_use_clause: refer({ declares: "outer" }),
    dynamic_variable_name: unclear,
  },
  scopes: scopesOf({
    function: "function_definition method_declaration anonymous_function",
    clause: "arrow_function",
  }),
  hides: ({ steps }, index) =>
    /^(?:function_definition|method_declaration|anonymous_function)$/.test(steps[index]!.type)
      ? kinds.any
      : 0,
  spelling: /^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/,
  reserved: "this GLOBALS _SERVER _GET _POST _FILES _COOKIE _SESSION _REQUEST _ENV",
  byName:
    /\b(?:compact|extract|get_defined_vars|eval|parse_str)\s*\(|\$\$\w|\b(?:include|require)(?:_once)?\b/,
};

function isPhpVariable({ steps }: NodePath): boolean {
  return steps.at(-2)?.type === "variable_name";
}

/** `$a->b` names a member, `$a->$b` a variable with the name of one. */
function phpMember(way: NodePath): Meaning {
  return isPhpVariable(way) ? reference : member;
}

function phpAssignment({ steps }: NodePath): Meaning {
  const isOfFile = !steps.some(({ type }) => php.scopes[type] !== undefined);
  return define({ in: "function", isPublic: isOfFile });
}
