import type { TextSpan } from "../../lines.ts";
import {
  define,
  kinds,
  type Meaning,
  type NodePath,
  refer,
  reference,
  type ScopeRules,
  scopeRules,
} from "../scope-rules.ts";

/** Functions of Bash have their own namespace. */
const bashFunctions = kinds.private;

/** In Bash a function sees the variables of its callers, so a name is one variable in the whole file. */
export const bash: ScopeRules = scopeRules({
  names: { variable_name: reference, word: "unclear", extglob_pattern: "foreign" },
  positions: {
    "subscript.name": "up",
    "variable_assignment.name": bashAssignment,
    "variable_assignment.value for_statement.value case_statement.value case_item.value array": "foreign",
    "for_statement.variable": define({ in: "file" }),
    declaration_command: (path, at) => (isBashExport(path, at) ? "unclear" : define({ in: "file" })),
    "function_definition.name": define({ in: "file", kind: bashFunctions, isPublic: true }),
    command_name: refer({ kind: bashFunctions }),
    binary_expression: ({ steps }) => (steps.at(-1)!.type === "word" ? "unclear" : reference),
  },
  scopes: {},
  within: inBashText,
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "if then else elif fi case esac for select while until do done in function time coproc BASH DIRSTACK EUID FUNCNAME GROUPS " +
    "HOME HOSTNAME IFS LANG LINENO MAILPATH OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS PPID PS1 PS2 PS4 PWD RANDOM " +
    "REPLY SECONDS SHELL SHELLOPTS SHLVL UID USER _",
  byName: /\b(?:eval|source)\b|^\s*\.\s/m,
});

/** Defines a variable, unless it is passed to programs, as in `name=1 program` and `export name=1`. */
function bashAssignment(path: NodePath, at: number): Meaning {
  const holder = path.steps[at - 2];
  if (holder?.type === "command" || isBashExport(path, at - 1)) return "unclear";
  return define({ in: "file" });
}

function isBashExport(path: NodePath, at: number): boolean {
  const holder = path.steps[at - 1];
  return holder?.type === "declaration_command" && /^(?:export|\w+\s+-\w*[xn])/.test(path.textOf(holder));
}

/** Resolves names in text that is evaluated later, such as that of `trap`, and in assignments as arguments. */
function inBashText(path: NodePath, { start, end }: TextSpan): Meaning | undefined {
  const { type } = path.steps.at(-1)!;
  const before = path.text.slice(Math.max(0, start - 2), start);
  if (type === "raw_string") return /\$\{?$/.test(before) ? "unclear" : undefined;
  if (type !== "word" && type !== "concatenation") return undefined;
  return /^(?:\+?=|\[)/.test(path.text.slice(end)) && !/[\w./-]$/.test(before) ? "unclear" : undefined;
}

export const lua: ScopeRules = scopeRules({
  names: { identifier: reference },
  positions: {
    "variable_list.name": luaVariable,
    "function_declaration.name": (path, at) =>
      path.steps[at - 1]!.field === "local_declaration"
        ? inLuaBody(path, at - 2, define({ in: "nearest", renews: true, from: path.steps[at - 1]!.start }))
        : reference,
    "parameters.name for_numeric_clause.name": define(),
    "dot_index_expression.field method_index_expression.method": "member",
    "field.name": (path, at) => (path.text[path.steps[at - 1]!.start] === "[" ? reference : "member"),
    attribute: "foreign",
    label_statement: define({ in: "function", kind: kinds.label }),
    goto_statement: refer({ kind: kinds.label }),
  },
  scopes: {
    "block for_statement repeat_statement": "block",
    "function_declaration function_definition": "function",
  },
  isSeenBy: ({ steps }, index) =>
    steps[index]!.type !== "for_statement" || steps[index + 1]?.field === "body",
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while",
  byName: /\bload(?:string)?\s*\(|\bgetfenv\s*\(|\b_G\b|\b_ENV\b|\bdebug\.\w+local\b/,
});

/** Defines a variable after `local`, visible after its statement. Any other assignment is to an existing variable. */
function luaVariable(path: NodePath, at: number): Meaning {
  const holder = path.steps[at - 2]!;
  if (holder.type === "for_generic_clause") return define();
  const index = holder.type === "variable_declaration" ? at - 2 : at - 3;
  const declaration = path.steps[index];
  if (declaration?.type !== "variable_declaration") return reference;
  return inLuaBody(path, index, define({ renews: true, from: declaration.end }));
}

/** Defines a name in its block. The condition of `repeat` also sees the declarations of its body. */
function inLuaBody({ steps }: NodePath, at: number, definition: ReturnType<typeof define>): Meaning {
  const block = steps.slice(0, at + 1).findLastIndex(({ type }) => lua.scopes[type] !== undefined);
  const index = steps[block - 1]?.type === "repeat_statement" ? block - 1 : block;
  return { ...definition, at: Math.max(0, index) };
}

/** In PHP, variables belong to a whole function, or to the file. */
export const php: ScopeRules = scopeRules({
  names: { name: (path) => (isPhpVariable(path) ? reference : "foreign") },
  positions: {
    "variable_name list_literal by_ref pair": "up",
    "assignment_expression.left reference_assignment_expression.left": phpAssignment,
    "augmented_assignment_expression.left static_variable_declaration.name": phpAssignment,
    "catch_clause.name": phpAssignment,
    foreach_statement: (path, at) => (/\bas\b/.test(path.textBefore(at)) ? phpAssignment(path) : reference),
    "simple_parameter.name variadic_parameter.name": define({ isArgument: true }),
    "property_promotion_parameter.name": define({ isMember: true }),
    "property_element.name": "member definition",
    "scoped_property_access_expression.name": "member",
    "member_access_expression.name nullsafe_member_access_expression.name": phpMember,
    "member_call_expression.name nullsafe_member_call_expression.name": phpMember,
    "argument.name": "argument",
    global_declaration: refer({ declares: "file" }),
    anonymous_function_use_clause: refer({ declares: "outer" }),
    dynamic_variable_name: "unclear",
  },
  scopes: {
    "function_definition method_declaration anonymous_function": "function",
    arrow_function: "clause",
  },
  hides: ({ steps }, index) => (php.scopes[steps[index]!.type] === "function" ? kinds.any : 0),
  spelling: /^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/,
  reserved: "this GLOBALS _SERVER _GET _POST _FILES _COOKIE _SESSION _REQUEST _ENV",
  byName:
    /\b(?:compact|extract|get_defined_vars|eval|parse_str)\s*\(|\$\$\w|\b(?:include|require)(?:_once)?\b/,
});

function isPhpVariable({ steps }: NodePath): boolean {
  return steps.at(-2)?.type === "variable_name";
}

/** Resolves a name after an arrow. `$a->b` names a member; in `$a->$b`, `$b` is a variable. */
function phpMember(path: NodePath): Meaning {
  return isPhpVariable(path) ? reference : "member";
}

function phpAssignment({ steps }: NodePath): Meaning {
  const isOfFile = !steps.some(({ type }) => php.scopes[type] !== undefined);
  return define({ in: "function", isPublic: isOfFile });
}
