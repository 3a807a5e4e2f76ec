import type { TextSpan } from "../../lines.ts";
import {
  type Decide,
  define,
  kinds,
  type Meaning,
  type NodePath,
  refer,
  type ScopeRules,
  scopeRules,
} from "../scope-rules.ts";

const { any, constant, local, type, value } = kinds;
const reference = refer({ kind: local | value });
const pathStart = refer({ kind: any });

export const rust: ScopeRules = scopeRules({
  names: {
    identifier: reference,
    type_identifier: refer({ kind: type }),
    field_identifier: "member",
    shorthand_field_identifier: reference,
  },
  positions: {
    "tuple_pattern ref_pattern mut_pattern reference_pattern slice_pattern or_pattern": "up",
    "captured_pattern struct_pattern tuple_struct_pattern field_pattern.pattern": "up",
    "tuple_struct_pattern.type": pathStart,
    "field_pattern.name": (path) => (path.steps.at(-1)!.type === "field_identifier" ? "member" : "up"),
    "let_declaration.pattern let_condition.pattern": (path, at) =>
      pattern(path, { renews: true, from: path.steps[at - 1]!.end }),
    "parameter.pattern closure_parameters for_expression.pattern match_pattern": (path) => pattern(path),
    "match_pattern.condition": reference,
    "function_item.name function_signature_item.name": item(value),
    "const_item.name static_item.name": item(value | constant),
    "struct_item.name": item(any | constant),
    "union_item.name": item(any),
    "mod_item.name enum_item.name trait_item.name type_item.name": item(type),
    "associated_type.name enum_variant.name field_declaration.name": "member definition",
    "type_parameter.name": define({ kind: type }),
    "const_parameter.name": define({ kind: value | constant }),
    "scoped_identifier.path": (path) => (isImported(path) ? "unclear" : pathStart),
    "scoped_identifier.name": (path) => (isImported(path) ? "unclear" : "member"),
    "scoped_type_identifier.path": pathStart,
    "scoped_type_identifier.name": "member",
    "use_declaration use_list scoped_use_list use_as_clause use_wildcard extern_crate_declaration": "unclear",
    "macro_definition token_tree_pattern": "unclear",
    shorthand_field_initializer: (path) =>
      refer({ kind: local | value, around: { before: `${path.name}: `, after: "" } }),
    "lifetime label macro_invocation.macro attribute": "foreign",
    token_tree: token,
  },
  scopes: {
    "block if_expression while_expression for_expression match_arm impl_item trait_item": "block",
    "struct_item union_item enum_item type_item": "block",
    "function_item function_signature_item function_type closure_expression mod_item": "function",
  },
  isSeenBy: ({ steps }, index) => {
    const [{ type: scope }, next] = [steps[index]!, steps[index + 1]];
    if (scope === "if_expression") return next?.field !== "alternative";
    return scope !== "for_expression" || next?.field === "body" || next?.field === "pattern";
  },
  hides: (path, index) => {
    const step = path.steps[index]!;
    if (step.type === "function_item") return local;
    if (step.type !== "mod_item") return 0;
    return /\bsuper::(?:\*|\{[^}]*\*)/.test(path.textOf(step)) ? local : local | any | constant;
  },
  tokens: /^token_tree/,
  within: inFormat,
  spelling: /^[\p{ID_Start}_]\p{ID_Continue}*$/u,
  reserved:
    "_ abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl " +
    "in let loop macro match mod move mut override priv pub ref return self Self static struct super trait true try type " +
    "typeof unsafe unsized use virtual where while yield",
});

/** Defines a name in a pattern, unless it is spelled like a constant. `{ name }` also names a field, which stays. */
function pattern(path: NodePath, more?: Parameters<typeof define>[0]): Meaning {
  const name = path.name;
  if (/^\p{Lu}/u.test(name)) return reference;
  const definition = define({ kind: local, yieldsTo: constant, ...more });
  const [field, leaf] = [path.steps.at(-2)!, path.steps.at(-1)!];
  if (field.type !== "field_pattern" || leaf.field !== "name") return definition;
  // Renaming `{ ref name }` would need `{ name: ref other }`.
  if (field.start !== leaf.start) return "unclear";
  return { ...definition, around: { before: `${name}: `, after: "" } };
}

/** Defines an item of a module or block, visible before its definition too. Items of an impl or trait are members. */
function item(kind: number): Decide {
  return ({ steps }, at) => {
    const holder = steps[at - 3]?.type;
    if (steps[at - 2]?.type === "declaration_list" && holder !== "mod_item")
      return holder === "foreign_mod_item" ? "unclear" : "member definition";
    return define({ in: "outside", kind, isPathed: true, isPublic: steps[at - 2]?.type !== "block" });
  };
}

function isImported(path: NodePath): boolean {
  return path.nearest(["use_declaration"]) !== undefined;
}

/** Macros whose arguments are only expressions. */
const plainMacros =
  /^(?:std::)?(?:e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|(?:debug_)?assert(?:_eq|_ne)?|vec|dbg|todo|unreachable|unimplemented|anyhow|bail|ensure)$/;

function macroOf(path: NodePath): { readonly name: string; readonly at: number } | undefined {
  const at = path.steps.findIndex(({ type }) => type === "macro_invocation");
  if (at === -1) return undefined;
  const [, name = ""] = /^([\w:]+)\s*!/.exec(path.textOf(path.steps[at]!)) ?? [];
  return { name, at };
}

/** Resolves a token in a macro. Anything beyond expressions is unclear. */
function token(path: NodePath): Meaning {
  const attribute = path.nearest(["attribute"]);
  if (attribute) return knownAttributes.test(path.textOf(attribute)) ? "foreign" : "unclear";
  const macro = macroOf(path);
  if (macro === undefined || !plainMacros.test(macro.name)) return "unclear";
  const [tree, leaf] = [path.steps.at(-2)!, path.steps.at(-1)!];
  const all = path.textOf(path.steps[macro.at + 1] ?? tree);
  if (/\||=>|\b(?:let|fn|for|match|if|while|move)\b/.test(all.replace(/"(?:[^"\\]|\\.)*"/gs, '""')))
    return "unclear";
  const before = path.text.slice(tree.start, leaf.start).trimEnd();
  const after = path.text.slice(leaf.end, tree.end).trimStart();
  if (/(?:^|[^.])\.$/.test(before) || before.endsWith("::")) return "member";
  if (after.startsWith("::")) return pathStart;
  if (before.endsWith("'")) return "foreign";
  if (/^(?:=[^=>]|:)/.test(after) || path.text[tree.start] === "{") return "unclear";
  return refer({ kind: local | any });
}

const knownAttributes =
  /^(?:derive|cfg|cfg_attr|allow|warn|deny|forbid|expect|repr|doc|serde|inline|must_use|deprecated|clap|arg|command|error)\b/;

/** Resolves `{name}` in the text of a format macro. */
function inFormat(path: NodePath, { start, end }: TextSpan): Meaning | undefined {
  if (!path.steps.some(({ type }) => /string/.test(type))) return undefined;
  const { text } = path;
  const opened = /\{+$/.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0;
  const isArgument = opened % 2 === 1 && /^[:}]/.test(text.slice(end, end + 1));
  const isSize = text[end] === "$" && /\{[^{}]*$/.test(text.slice(Math.max(0, start - 80), start));
  if (!isArgument && !isSize) return undefined;
  const macro = macroOf(path);
  if (macro === undefined) return undefined;
  const literal = path.nearest(["string_literal", "raw_string_literal"])!;
  const isFirst = !path.text.slice(path.steps[macro.at]!.start, literal.start).includes('"');
  return plainMacros.test(macro.name) && isFirst ? reference : "unclear";
}
