import {
  define,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  refer,
  reference,
  type ScopeRules,
  unclear,
  type Way,
} from "../scope-rules.ts";
import { c, isFunction } from "./c.ts";

/** C++ as far as it can be told from one text: variables and parameters of functions, and parameters of templates. */
export const cpp: ScopeRules = {
  ...c,
  names: { ...c.names, namespace_identifier: foreign },
  places: {
    ...c.places,
    reference_declarator: "up",
    variadic_declarator: "up",
    structured_binding_declarator: "up",
    "declaration.declarator": declared,
    "for_range_loop.declarator": define(),
    "lambda_capture_initializer.left": define(),
    "parameter_declaration.declarator": parameter,
    "optional_parameter_declaration.declarator": parameter,
    "variadic_parameter_declaration.declarator": parameter,
    parameter_list: parameter,
    type_parameter_declaration: define({ kind: kinds.type }),
    variadic_type_parameter_declaration: define({ kind: kinds.type }),
    "optional_type_parameter_declaration.name": define({ kind: kinds.type }),
    "function_definition.declarator": memberDefinition,
    "type_definition.declarator": memberDefinition,
    "enumerator.name": memberDefinition,
    "struct_specifier.name": memberDefinition,
    "class_specifier.name": memberDefinition,
    "union_specifier.name": memberDefinition,
    "enum_specifier.name": memberDefinition,
    "alias_declaration.name": memberDefinition,
    "concept_definition.name": memberDefinition,
    "qualified_identifier.name": member,
    "qualified_identifier.scope": refer({ kind: kinds.any }),
    "template_function.name": reference,
    using_declaration: unclear,
    namespace_alias_definition: foreign,
    friend_declaration: unclear,
  },
  scopes: {
    ...c.scopes,
    template_declaration: "block",
    lambda_expression: "function",
    for_range_loop: "block",
    if_statement: "block",
    while_statement: "block",
    switch_statement: "block",
    catch_clause: "block",
  },
  isSeenBy: ({ steps }, index) => {
    const next = steps[index + 1]?.field;
    if (steps[index]!.type === "lambda_expression") return next !== "captures";
    return steps[index]!.type !== "for_range_loop" || next !== "right";
  },
  // A class within a function has members of its own, and those of its bases.
  clouds: ({ steps }, index) =>
    steps[index]!.type === "function_definition" &&
    steps.slice(0, index).some(({ type }) => type === "compound_statement"),
  reserved:
    `${c.reserved} alignas alignof and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield ` +
    "compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new " +
    "noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this throw " +
    "try typeid typename using virtual wchar_t xor xor_eq override final",
};

function declared(way: Way, at: number): Meaning {
  const { steps } = way;
  const block = steps.slice(0, at).findLastIndex(({ type }) => isLocal(type));
  const holder = steps
    .slice(0, at)
    .findLastIndex(({ type }) => type === "field_declaration_list" || type === "declaration_list");
  if (block <= holder) return memberDefinition;
  if (isFunction(way, at) || /^\s*extern\b/.test(way.text.slice(steps[at - 1]!.start))) return unclear;
  return define({ from: steps.at(-1)!.start });
}

function isLocal(type: string): boolean {
  return /^(?:compound_statement|for_statement|if_statement|while_statement|switch_statement)$/.test(type);
}

/** Seen in the body of what is defined; not those of another function that is only declared among them. */
function parameter({ steps }: Way): Meaning {
  const owner = steps.findLastIndex(({ type }) => owners.has(type));
  const lists = steps.slice(owner).filter(({ type }) => /^(?:template_)?parameter_list$/.test(type)).length;
  return owner !== -1 && lists === 1 ? define({ at: owner }) : define();
}

const owners: ReadonlySet<string> = new Set([
  "function_definition",
  "lambda_expression",
  "catch_clause",
  "template_declaration",
]);
