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

const { type, any } = kinds;

/** `struct node` and `node` are two names, because the first is a tag. */
const tag = kinds.private;

export const c: ScopeRules = scopeRules({
  names: {
    "identifier type_identifier": (path) => (isForPreprocessor(path) ? "unclear" : refer({ kind: any })),
    field_identifier: "member",
    statement_identifier: refer({ kind: kinds.label }),
  },
  positions: {
    "pointer_declarator parenthesized_declarator array_declarator.declarator": "up",
    "function_declarator.declarator init_declarator.declarator attributed_declarator": "up",
    "declaration.declarator": declared,
    "parameter_declaration.declarator parameter_list": parameter,
    "function_definition.declarator": (path, at) =>
      define({ in: "file", isPublic: !/\bstatic\b/.test(path.textBefore(at)) }),
    "type_definition.declarator": define({ kind: type, isPublic: true }),
    "enumerator.name": define({ isPublic: true }),
    "struct_specifier.name union_specifier.name enum_specifier.name": tagged,
    "labeled_statement.label": define({ in: "function", kind: kinds.label }),
    "field_declaration.declarator": "member definition",
    preproc_params: "foreign",
    "preproc_def.name preproc_function_def.name preproc_ifdef.name preproc_defined preproc_call": "unclear",
    "macro_type_specifier.name gnu_asm_expression": "unclear",
    attribute: "foreign",
  },
  scopes: {
    "compound_statement function_declarator for_statement abstract_function_declarator": "block",
    function_definition: "function",
  },
  within: inMacro,
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "auto break case char const continue default do double else enum extern float for goto if inline int long register " +
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof " +
    "_Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local alignas alignof bool constexpr false " +
    "nullptr static_assert thread_local true typeof typeof_unqual asm main",
});

/** Resolves a name in a macro. Parameters belong to the macro; other names are resolved where it is used. */
function inMacro(path: NodePath, { start, end }: TextSpan): Meaning | undefined {
  if (!path.steps.some(({ type: kind }) => kind === "preproc_arg")) return undefined;
  if (/^#\s*(?:error|warning)/.test(path.textOf(path.steps.at(-2)!))) return "foreign";
  const macro = path.nearest(["preproc_function_def"]);
  const [, parameters = ""] = /^#\s*define\s+\w+\(([^)]*)\)/.exec(macro ? path.textOf(macro) : "") ?? [];
  return parameters.split(/\W+/).includes(path.text.slice(start, end)) ? "foreign" : "unclear";
}

/** Defines a name: in a block visible from its declaration on, at the top level perhaps in other files. */
function declared(path: NodePath, at: number): Meaning {
  const { steps } = path;
  const declaration = path.textBefore(at);
  const isInBlock = path.nearest(["compound_statement", "for_statement"], at - 2) !== undefined;
  if (steps[at - 2]?.type === "function_definition") return define({ at: at - 2 });
  if (!isInBlock) return define({ in: "file", kind: any, isPublic: !/\bstatic\b/.test(declaration) });
  // Such a declaration is another name for a declaration of the file.
  if (/\bextern\b/.test(declaration) || isFunction(path, at)) return "unclear";
  return define({ from: path.steps.at(-1)!.start });
}

/** Defines a parameter of a function, or of one that is only declared in the parameter list. */
function parameter({ steps }: NodePath): Meaning {
  const definition = steps.findLastIndex(({ type: kind }) => kind === "function_definition");
  const lists = steps.slice(definition).filter(({ type: kind }) => kind === "parameter_list").length;
  const isOwn = definition !== -1 && lists === 1 && steps[definition + 1]?.field === "declarator";
  return isOwn ? define({ at: definition }) : define();
}

function isFunction(path: NodePath, at: number): boolean {
  const names = path.steps.slice(at);
  const declarator = names.findIndex(({ type: kind }) => kind === "function_declarator");
  return (
    declarator !== -1 && !names.slice(declarator).some(({ type: kind }) => kind === "pointer_declarator")
  );
}

function tagged(path: NodePath, at: number): Meaning {
  const specified = path.nearest(["compound_statement", "parameter_list"], at);
  if (specified !== undefined) return /^\s*\{/.test(path.textAfter(at)) ? "unclear" : refer({ kind: tag });
  return define({ in: "file", kind: tag, isPublic: true });
}

/** C++ as far as one file shows it: variables and parameters of functions, and parameters of templates. */
export const cpp: ScopeRules = scopeRules({
  ...c,
  names: { ...c.names, namespace_identifier: "foreign" },
  positions: {
    ...c.positions,
    "reference_declarator variadic_declarator structured_binding_declarator": "up",
    "declaration.declarator": declaredInCpp,
    "for_range_loop.declarator lambda_capture_initializer.left": define(),
    "parameter_declaration.declarator optional_parameter_declaration.declarator": cppParameter,
    "variadic_parameter_declaration.declarator parameter_list": cppParameter,
    "type_parameter_declaration variadic_type_parameter_declaration": define({ kind: kinds.type }),
    "optional_type_parameter_declaration.name": define({ kind: kinds.type }),
    "function_definition.declarator type_definition.declarator enumerator.name": "member definition",
    "struct_specifier.name class_specifier.name union_specifier.name enum_specifier.name":
      "member definition",
    "alias_declaration.name concept_definition.name": "member definition",
    "qualified_identifier.name": "member",
    "qualified_identifier.scope": refer({ kind: kinds.any }),
    "template_function.name": reference,
    using_declaration: "unclear",
    namespace_alias_definition: "foreign",
    friend_declaration: "unclear",
  },
  scopes: {
    ...c.scopes,
    "template_declaration for_range_loop if_statement while_statement switch_statement": "block",
    catch_clause: "block",
    lambda_expression: "function",
  },
  isSeenBy: ({ steps }, index) => {
    const next = steps[index + 1]?.field;
    if (steps[index]!.type === "lambda_expression") return next !== "captures";
    return steps[index]!.type !== "for_range_loop" || next !== "right";
  },
  // A class in a function has its own members and those of its bases.
  clouds: (path, index) =>
    path.steps[index]!.type === "function_definition" &&
    path.nearest(["compound_statement"], index - 1) !== undefined,
  reserved:
    `${c.reserved} alignas alignof and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield ` +
    "compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new " +
    "noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this throw " +
    "try typeid typename using virtual wchar_t xor xor_eq override final",
});

function declaredInCpp(path: NodePath, at: number): Meaning {
  const { steps } = path;
  const holder = steps.slice(0, at).findLast(({ type }) => cppHolder.test(type));
  if (!holder?.type.endsWith("_statement")) return "member definition";
  if (isFunction(path, at) || /^\s*extern\b/.test(path.text.slice(steps[at - 1]!.start))) return "unclear";
  return define({ from: steps.at(-1)!.start });
}

const cppHolder = /^(?:(?:field_)?declaration_list|(?:compound|for|if|while|switch)_statement)$/;

/** Defines a parameter of a definition, or of a function that is only declared in the parameter list. */
function cppParameter({ steps }: NodePath): Meaning {
  const owner = steps.findLastIndex(({ type }) => parameterOwners.has(type));
  const lists = steps.slice(owner).filter(({ type }) => /^(?:template_)?parameter_list$/.test(type)).length;
  return owner !== -1 && lists === 1 ? define({ at: owner }) : define();
}

const parameterOwners: ReadonlySet<string> = new Set(
  "function_definition lambda_expression catch_clause template_declaration".split(" "),
);

/** Returns whether the preprocessor may use the name as something other than a value: a member, a label, text. */
function isForPreprocessor(path: NodePath): boolean {
  const { steps } = path;
  return steps.some(({ type }, index) => {
    const next = steps[index + 1];
    if (/^preproc_(?:el)?if/.test(type)) return next?.field === "condition";
    return type === "argument_list" && next !== undefined && isGivenToMacro(path, index);
  });
}

function isGivenToMacro(path: NodePath, list: number): boolean {
  const name = path.textBefore(list).trim();
  return headersMacros.test(name) || oddMacrosOf(path.text).has(name);
}

/** Macros of common headers. Other macros of headers are treated as functions. */
const headersMacros = /^(?:container_of|offsetof|sizeof_field|h?list_\w*entry\w*)$/;

let last: { readonly text: string; readonly odd: ReadonlySet<string> } = { text: "", odd: new Set() };

/** Returns the macros of a text that do not behave like functions of values. The result is cached for the last text. */
function oddMacrosOf(text: string): ReadonlySet<string> {
  if (last.text !== text) last = { text, odd: findOddMacros(text) };
  return last.odd;
}

function findOddMacros(text: string): ReadonlySet<string> {
  const odd = new Set<string>();
  const rest = new Map<string, string>();
  for (const [, name = "", parameters, body = ""] of text.matchAll(definition)) {
    const isPlain = parameters?.split(",").every((parameter) => isValue(parameter.trim(), body)) ?? false;
    if (!isPlain) odd.add(name);
    rest.set(name, `${rest.get(name) ?? ""} ${body}`);
  }
  // An argument passed to another macro is used as that macro uses it.
  for (let known = -1; known !== odd.size; ) {
    known = odd.size;
    for (const [name, body] of rest) {
      if (body.match(/\w+(?=\s*\()/g)?.some((word) => odd.has(word))) odd.add(name);
    }
  }
  return odd;
}

const definition = /^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^)]*)\))?((?:[^\n\\]|\\\r?\n|\\.)*)/gm;

function isValue(parameter: string, body: string): boolean {
  const name = parameter === "..." ? "__VA_ARGS__" : parameter.replace("...", "");
  if (!/^\w+$/.test(name)) return name === "";
  return [...body.matchAll(new RegExp(`\\b${name}\\b`, "g"))].every(({ index }) => {
    const before = body.slice(0, index).trimEnd();
    if (/^\s*##/.test(body.slice(index + name.length)) || /(?:#|->|\.)$/.test(before)) return false;
    return !/\w$/.test(before) || /\b(?:return|sizeof|case|else)$/.test(before);
  });
}
