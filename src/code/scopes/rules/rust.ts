import type { TextSpan } from "../../lines.ts";
import {
  type Decide,
  define,
  each,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  type NodePath,
  nameOf,
  nearestOf,
  refer,
  type ScopeRules,
  scopesOf,
  textOf,
  unclear,
} from "../scope-rules.ts";

const { any, constant, local, type, value } = kinds;
const reference = refer({ kind: local | value });
const pathStart = refer({ kind: any });

export const rust: ScopeRules = {
  names: {
    identifier: reference,
    type_identifier: refer({ kind: type }),
    field_identifier: member,
    shorthand_field_identifier: reference,
  },
  positions: {
    ...each(
      "tuple_pattern ref_pattern mut_pattern reference_pattern slice_pattern or_pattern " +
        "captured_pattern struct_pattern tuple_struct_pattern field_pattern.pattern",
      "up",
    ),
    "tuple_struct_pattern.type": pathStart,
    "field_pattern.name": (way) => (way.steps.at(-1)!.type === "field_identifier" ? member : "up"),
    "let_declaration.pattern": pattern((way, at) => ({ renews: true, from: way.steps[at - 1]!.end })),
    "let_condition.pattern": pattern((way, at) => ({ renews: true, from: way.steps[at - 1]!.end })),
    "parameter.pattern": pattern(() => ({})),
    closure_parameters: pattern(() => ({})),
    "for_expression.pattern": pattern(() => ({})),
    "match_pattern.condition": reference,
    match_pattern: pattern(() => ({})),
    "function_item.name": item(value),
    "function_signature_item.name": item(value),
    "const_item.name": item(value | constant),
    "static_item.name": item(value | constant),
    "mod_item.name": item(type),
    "struct_item.name": item(any | constant),
    "union_item.name": item(any),
    "enum_item.name": item(type),
    "trait_item.name": item(type),
    "type_item.name": item(type),
    ...each("associated_type.name enum_variant.name field_declaration.name", memberDefinition),
    "type_parameter.name": define({ kind: type }),
    "const_parameter.name": define({ kind: value | constant }),
    "scoped_identifier.path": (way) => (isImported(way) ? unclear : pathStart),
    "scoped_identifier.name": (way) => (isImported(way) ? unclear : member),
    "scoped_type_identifier.path": pathStart,
    "scoped_type_identifier.name": member,
    ...each(
      "use_declaration use_list scoped_use_list use_as_clause use_wildcard extern_crate_declaration " +
        "macro_definition token_tree_pattern",
      unclear,
    ),
    shorthand_field_initializer: (way) =>
      refer({ kind: local | value, around: { before: `${nameOf(way)}: `, after: "" } }),
    ...each("lifetime label macro_invocation.macro attribute", foreign),
    token_tree: token,
  },
  scopes: scopesOf({
    block:
      "block if_expression while_expression for_expression match_arm impl_item trait_item struct_item " +
      "union_item enum_item type_item",
    function: "function_item function_signature_item function_type closure_expression mod_item",
  }),
  isSeenBy: ({ steps }, index) => {
    const [{ type: scope }, next] = [steps[index]!, steps[index + 1]];
    if (scope === "if_expression") return next?.field !== "alternative";
    return scope !== "for_expression" || next?.field === "body" || next?.field === "pattern";
  },
  hides: (way, index) => {
    const step = way.steps[index]!;
    if (step.type === "function_item") return local;
    if (step.type !== "mod_item") return 0;
    return /\bsuper::(?:\*|\{[^}]*\*)/.test(textOf(way, step)) ? local : local | any | constant;
  },
  tokens: /^token_tree/,
  within: inFormat,
  spelling: /^[\p{ID_Start}_]\p{ID_Continue}*$/u,
  reserved:
    "_ abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl " +
    "in let loop macro match mod move mut override priv pub ref return self Self static struct super trait true try type " +
    "typeof unsafe unsized use virtual where while yield",
};

/** A name in a pattern is new, unless spelled like a constant; `{ name }` also names a field, which stays. */
function pattern(more: (way: NodePath, at: number) => Parameters<typeof define>[0]): Decide {
  return (way, at) => {
    const name = nameOf(way);
    if (/^\p{Lu}/u.test(name)) return reference;
    const definition = define({ kind: local, yieldsTo: constant, ...more(way, at) });
    const field = way.steps.at(-2)!;
    if (field.type !== "field_pattern" || way.steps.at(-1)!.field !== "name") return definition;
    // `{ ref name }` would have to become `{ name: ref other }`.
    if (field.start !== way.steps.at(-1)!.start) return unclear;
    return { ...definition, around: { before: `${name}: `, after: "" } };
  };
}

/** Items of a module or block in any order; those of an impl or trait are members. */
function item(kind: number): Decide {
  return ({ steps }, at) => {
    const holder = steps[at - 3]?.type;
    if (steps[at - 2]?.type === "declaration_list" && holder !== "mod_item")
      return holder === "foreign_mod_item" ? unclear : memberDefinition;
    return define({ in: "outside", kind, isPathed: true, isPublic: steps[at - 2]?.type !== "block" });
  };
}

function isImported(way: NodePath): boolean {
  return nearestOf(way, way.steps.length - 1, ["use_declaration"]) !== undefined;
}

/** Macros that take only expressions. */
const plainMacros =
  /^(?:std::)?(?:e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|(?:debug_)?assert(?:_eq|_ne)?|vec|dbg|todo|unreachable|unimplemented|anyhow|bail|ensure)$/;

function macroOf(way: NodePath): { readonly name: string; readonly at: number } | undefined {
  const at = way.steps.findIndex(({ type }) => type === "macro_invocation");
  if (at === -1) return undefined;
  const [, name = ""] = /^([\w:]+)\s*!/.exec(textOf(way, way.steps[at]!)) ?? [];
  return { name, at };
}

/** A macro has only tokens: anything beyond expressions is not understood. */
function token(way: NodePath): Meaning {
  if (nearestOf(way, way.steps.length - 1, ["attribute"])) return knownAttribute(way) ? foreign : unclear;
  const macro = macroOf(way);
  if (macro === undefined || !plainMacros.test(macro.name)) return unclear;
  const [tree, leaf] = [way.steps.at(-2)!, way.steps.at(-1)!];
  const all = textOf(way, way.steps[macro.at + 1] ?? tree);
  if (/\||=>|\b(?:let|fn|for|match|if|while|move)\b/.test(all.replace(/"(?:[^"\\]|\\.)*"/gs, '""')))
    return unclear;
  const before = way.text.slice(tree.start, leaf.start).trimEnd();
  const after = way.text.slice(leaf.end, tree.end).trimStart();
  if (/(?:^|[^.])\.$/.test(before) || before.endsWith("::")) return member;
  if (after.startsWith("::")) return pathStart;
  if (before.endsWith("'")) return foreign;
  if (/^(?:=[^=>]|:)/.test(after) || way.text[tree.start] === "{") return unclear;
  return refer({ kind: local | any });
}

function knownAttribute(way: NodePath): boolean {
  const attribute = nearestOf(way, way.steps.length - 1, ["attribute"])!;
  return /^(?:derive|cfg|cfg_attr|allow|warn|deny|forbid|expect|repr|doc|serde|inline|must_use|deprecated|clap|arg|command|error)\b/.test(
    textOf(way, attribute),
  );
}

/** `{name}` in the text of a format macro. */
function inFormat(way: NodePath, { start, end }: TextSpan): Meaning | undefined {
  if (!way.steps.some(({ type }) => /string/.test(type))) return undefined;
  const { text } = way;
  const opened = /\{+$/.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0;
  const isArgument = opened % 2 === 1 && /^[:}]/.test(text.slice(end, end + 1));
  const isSize = text[end] === "$" && /\{[^{}]*$/.test(text.slice(Math.max(0, start - 80), start));
  if (!isArgument && !isSize) return undefined;
  const macro = macroOf(way);
  if (macro === undefined) return undefined;
  const literal = nearestOf(way, way.steps.length - 1, ["string_literal", "raw_string_literal"])!;
  const isFirst = !way.text.slice(way.steps[macro.at]!.start, literal.start).includes('"');
  return plainMacros.test(macro.name) && isFirst ? reference : unclear;
}
