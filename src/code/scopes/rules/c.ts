import {
  define,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  nearestOf,
  refer,
  type ScopeRules,
  textOf,
  unclear,
  type Way,
} from "../scope-rules.ts";
import { isForPreprocessor } from "./c-macros.ts";

const { type, any } = kinds;

/** `struct node` and `node` are two names: the first is a tag. */
const tag = kinds.private;

export const c: ScopeRules = {
  names: {
    identifier: named,
    type_identifier: named,
    field_identifier: member,
    statement_identifier: refer({ kind: kinds.label }),
  },
  places: {
    pointer_declarator: "up",
    parenthesized_declarator: "up",
    "array_declarator.declarator": "up",
    "function_declarator.declarator": "up",
    "init_declarator.declarator": "up",
    attributed_declarator: "up",
    "declaration.declarator": declared,
    "parameter_declaration.declarator": parameter,
    parameter_list: parameter,
    "function_definition.declarator": functionName,
    "type_definition.declarator": define({ kind: type, isPublic: true }),
    "enumerator.name": define({ isPublic: true }),
    "struct_specifier.name": tagged,
    "union_specifier.name": tagged,
    "enum_specifier.name": tagged,
    "labeled_statement.label": define({ in: "function", kind: kinds.label }),
    "field_declaration.declarator": memberDefinition,
    // What the preprocessor does is not seen.
    preproc_params: foreign,
    "preproc_def.name": unclear,
    "preproc_function_def.name": unclear,
    "preproc_ifdef.name": unclear,
    preproc_defined: unclear,
    preproc_call: unclear,
    "macro_type_specifier.name": unclear,
    attribute: foreign,
    gnu_asm_expression: unclear,
  },
  scopes: {
    compound_statement: "block",
    function_definition: "function",
    function_declarator: "block",
    for_statement: "block",
    abstract_function_declarator: "block",
  },
  within: inMacro,
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "auto break case char const continue default do double else enum extern float for goto if inline int long register " +
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof " +
    "_Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local alignas alignof bool constexpr false " +
    "nullptr static_assert thread_local true typeof typeof_unqual asm main",
};

function named(way: Way): Meaning {
  return isForPreprocessor(way) ? unclear : refer({ kind: any });
}

/** A macro's own parameters are its own; what else it names is known where it is used. */
function inMacro(
  way: Way,
  { start, end }: { readonly start: number; readonly end: number },
): Meaning | undefined {
  if (!way.steps.some(({ type: kind }) => kind === "preproc_arg")) return undefined;
  if (/^#\s*(?:error|warning)/.test(textOf(way, way.steps.at(-2)!))) return foreign;
  const macro = nearestOf(way, way.steps.length - 1, ["preproc_function_def"]);
  const [, parameters = ""] = /^#\s*define\s+\w+\(([^)]*)\)/.exec(macro ? textOf(way, macro) : "") ?? [];
  return parameters.split(/\W+/).includes(way.text.slice(start, end)) ? foreign : unclear;
}

/** In a block from where it stands on, also in its own value; in a file others may use it. */
function declared(way: Way, at: number): Meaning {
  const { steps } = way;
  const declaration = textOf(way, { start: steps[at - 1]!.start, end: steps[at]!.start });
  const isInBlock = steps
    .slice(0, at - 1)
    .some(({ type: kind }) => kind === "compound_statement" || kind === "for_statement");
  const isParameter = steps[at - 2]?.type === "function_definition";
  if (isParameter) return define({ at: at - 2 });
  if (!isInBlock) return define({ in: "file", kind: any, isPublic: !/\bstatic\b/.test(declaration) });
  // Another name for what the file has.
  if (/\bextern\b/.test(declaration) || isFunction(way, at)) return unclear;
  return define({ from: way.steps.at(-1)!.start });
}

/** Of the function that is defined, and seen in its body; not of another that is only declared among them. */
function parameter({ steps }: Way): Meaning {
  const definition = steps.findLastIndex(({ type: kind }) => kind === "function_definition");
  const lists = steps.slice(definition).filter(({ type: kind }) => kind === "parameter_list").length;
  const isOwn = definition !== -1 && lists === 1 && steps[definition + 1]?.field === "declarator";
  return isOwn ? define({ at: definition }) : define();
}

export function isFunction(way: Way, at: number): boolean {
  const names = way.steps.slice(at);
  const declarator = names.findIndex(({ type: kind }) => kind === "function_declarator");
  return (
    declarator !== -1 && !names.slice(declarator).some(({ type: kind }) => kind === "pointer_declarator")
  );
}

function functionName(way: Way, at: number): Meaning {
  const head = textOf(way, { start: way.steps[at - 1]!.start, end: way.steps[at]!.start });
  return define({ in: "file", isPublic: !/\bstatic\b/.test(head) });
}

function tagged(way: Way, at: number): Meaning {
  const specifier = way.steps[at - 1]!;
  const isDefined =
    /^\s*\{/.test(way.text.slice(way.steps[at]!.end, specifier.end)) || specifier.end === way.steps[at]!.end;
  const holder = nearestOf(way, at, ["compound_statement", "parameter_list"]);
  if (holder !== undefined)
    return isDefined && specifier.end !== way.steps[at]!.end ? unclear : refer({ kind: tag });
  return define({ in: "file", kind: tag, isPublic: true });
}
