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
  reference,
  type ScopeRules,
  type Step,
  scopesOf,
  textOf,
  unclear,
} from "../scope-rules.ts";

const { any, type } = kinds;

const scopes: ScopeRules["scopes"] = scopesOf({
  block:
    "statement_block for_statement for_in_statement switch_body catch_clause class_declaration " +
    "abstract_class_declaration class class_body enum_declaration enum_body interface_declaration " +
    "type_alias_declaration index_signature conditional_type labeled_statement",
  function:
    "class_static_block function_declaration generator_function_declaration function_expression " +
    "generator_function arrow_function method_definition function_signature method_signature " +
    "abstract_method_signature call_signature construct_signature function_type constructor_type " +
    "internal_module module",
});

/** TypeScript, with and without JSX, and JavaScript. */
export const typescript: ScopeRules = {
  names: {
    identifier: reference,
    type_identifier: refer({ kind: type }),
    shorthand_property_identifier: reference,
    shorthand_property_identifier_pattern: reference,
    statement_identifier: refer({ kind: kinds.label }),
    property_identifier: member,
    private_property_identifier: refer({ kind: kinds.private }),
  },
  positions: {
    object: (way) => refer({ around: { before: `${nameOf(way)}: `, after: "" } }),
    // Patterns: their parent decides.
    array_pattern: "up",
    ...each(
      "object_pattern rest_pattern pair_pattern.value assignment_pattern.left " +
        "object_assignment_pattern.left",
      "up",
    ),
    "assignment_expression.left": written(() => reference),
    "augmented_assignment_expression.left": reference,
    "for_in_statement.left": written(loopVariable),
    "variable_declarator.name": written(variable),
    "required_parameter.pattern": written(parameter),
    "optional_parameter.pattern": written(parameter),
    formal_parameters: written(() => define()),
    ...each(
      "arrow_function.parameter function_expression.name generator_function.name index_signature.name",
      define(),
    ),
    "catch_clause.parameter": written(() => define()),
    ...each(
      "function_declaration.name generator_function_declaration.name function_signature.name",
      declared(define({ in: "outside" })),
    ),
    ...each(
      "class_declaration.name abstract_class_declaration.name enum_declaration.name " +
        "internal_module.name module.name",
      declared(define({ in: "outside", kind: any })),
    ),
    "class.name": define({ kind: any }),
    "interface_declaration.name": declared(define({ in: "outside", kind: type })),
    "type_alias_declaration.name": declared(define({ in: "outside", kind: type })),
    "nested_identifier.object": (way, at) =>
      way.steps[at - 1]?.field === "name" ? "up" : refer({ kind: any }),
    "nested_identifier.property": member,
    "type_parameter.name": typeParameter,
    "mapped_type_clause.name": define({ kind: type }),
    // Visible in one branch only, which the path to a name does not show.
    infer_type: unclear,
    enum_body: define({ isMember: true }),
    "enum_assignment.name": define({ isMember: true }),
    "labeled_statement.label": define({ kind: kinds.label }),
    ...each("import_clause namespace_import import_specifier.alias", define({ in: "file", kind: any })),
    import_require_clause: define({ kind: any }),
    import_alias: (way, at) =>
      way.steps[at]!.start === firstWordOf(way, at) ? define({ kind: any }) : refer({ kind: any }),
    "import_specifier.name": (way, at) =>
      isAlone(way, at)
        ? define({ in: "file", kind: any, around: { before: `${nameOf(way)} as `, after: "" } })
        : foreign,
    ...each(
      "export_specifier.alias namespace_export tuple_parameter.name optional_tuple_parameter.name",
      foreign,
    ),
    "export_specifier.name": exported,
    "nested_type_identifier.module": refer({ kind: any }),
    "nested_type_identifier.name": member,
    ...each("jsx_opening_element.name jsx_closing_element.name jsx_self_closing_element.name", element),
    with_statement: unclear,
    ...each("method_definition.name public_field_definition.name field_definition.property", ownMember),
    ...each("method_signature.name abstract_method_signature.name property_signature.name", memberDefinition),
  },
  scopes,
  spelling: /^#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u,
  reserved:
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public return " +
    "static super switch this throw true try typeof undefined var void while with yield " +
    "any boolean never number object string symbol unknown bigint",
  byName: /\b(?:eval|Function)\s*\(|\bwith\s*\(/,
};

/** A name in a pattern: `{ name }` also names a property, which stays. */
function written(decide: (way: NodePath, at: number) => Meaning): Decide {
  return (way, at) => {
    const meaning = decide(way, at);
    const isShort = way.steps.at(-1)!.type === "shorthand_property_identifier_pattern";
    if (!isShort || (meaning.is !== "definition" && meaning.is !== "reference")) return meaning;
    return { ...meaning, around: { before: `${nameOf(way)}: `, after: "" } };
  };
}

function variable(way: NodePath, at: number): Meaning {
  const declaration = way.steps[at - 2]!;
  const isVar = declaration.type === "variable_declaration";
  return visible(way, at - 2, define({ in: isVar ? "function" : "nearest", at: at - 2 }));
}

/** `for (x of …)` only assigns. */
function loopVariable(way: NodePath, at: number): Meaning {
  const [, word] =
    /\b(var|let|const|using)\s*$/.exec(
      textOf(way, { start: way.steps[at - 1]!.start, end: way.steps[at]!.start }),
    ) ?? [];
  if (word === undefined) return reference;
  return define({ in: word === "var" ? "function" : "nearest" });
}

/** `constructor(private name)` makes a property of it. */
function parameter(way: NodePath, at: number): Meaning {
  const head = textOf(way, { start: way.steps[at - 1]!.start, end: way.steps[at]!.start });
  return /\b(?:public|private|protected|readonly|override)\b/.test(head)
    ? define({ isMember: true })
    : define();
}

/** Classes and interfaces of one name merge, and must use the same type parameters. */
function typeParameter(way: NodePath, at: number): Meaning {
  const holder = way.steps[at - 3]!;
  const [, name] =
    /^(?:abstract\s+)?(?:class|interface)\s+([\p{ID_Continue}$]+)/u.exec(textOf(way, holder)) ?? [];
  if (name === undefined) return define({ kind: type });
  const declarations = [...way.text.matchAll(/\b(?:class|interface)\s+([\p{ID_Continue}$]+)/gu)];
  return declarations.filter(([, other]) => other === name).length > 1 ? unclear : define({ kind: type });
}

function declared(definition: ReturnType<typeof define>): Decide {
  return (way, at) => visible(way, at - 1, hoisted(way, at - 1, definition));
}

/** In sloppy mode, a function in a block can be called outside of it. */
function hoisted(
  { steps }: NodePath,
  at: number,
  definition: ReturnType<typeof define>,
): ReturnType<typeof define> {
  const isFunction = /^(?:generator_)?function_/.test(steps[at]!.type);
  const isInBlock = steps[at - 1]?.type === "statement_block" && scopes[steps[at - 2]!.type] !== "function";
  return isFunction && isInBlock ? { ...definition, in: "function", at: at - 1 } : definition;
}

/**
 * Whether others see what the statement at `at` declares; an export of a namespace or ambient module is a member of
 * it.
 */
function visible(way: NodePath, at: number, definition: ReturnType<typeof define>): Meaning {
  const { steps } = way;
  const outer = steps.slice(0, at).findLast(({ type }) => type === "internal_module" || type === "module");
  const isExported = steps[at - 1]?.type === "export_statement";
  if (outer?.type === "module" || /\bdeclare\s+global\b/.test(ambient(way, at))) return unclear;
  if (!isExported) return definition;
  if (outer !== undefined) return { ...definition, isMember: true };
  const isDefault = /^export\s+default\b/.test(textOf(way, steps[at - 1]!));
  return isDefault ? definition : { ...definition, isPublic: true };
}

function ambient(way: NodePath, at: number): string {
  const declaration = nearestOf(way, at, ["ambient_declaration"]);
  return declaration === undefined ? "" : textOf(way, declaration).slice(0, 40);
}

/** `export { a } from "b"` names something of another file. */
function exported(way: NodePath, at: number): Meaning {
  const clause = way.steps[at - 2] as Step;
  if (/^\s*from\b/.test(way.text.slice(clause.end, clause.end + 40))) return foreign;
  const after = isAlone(way, at) ? ` as ${nameOf(way)}` : "";
  return refer({ kind: any, around: { before: "", after } });
}

/** The specifier is only this name, except for a leading `type`. */
function isAlone(way: NodePath, at: number): boolean {
  return !/\bas\b/.test(way.text.slice(way.steps[at]!.end, way.steps[at - 1]!.end));
}

/** `#name` is only visible in its class. */
function ownMember(way: NodePath): Meaning {
  return nameOf(way).startsWith("#") ? define({ in: "outside", kind: kinds.private }) : memberDefinition;
}

function element(way: NodePath): Meaning {
  return /^[\p{Ll}]/u.test(nameOf(way)) ? foreign : reference;
}

function firstWordOf(way: NodePath, at: number): number {
  const { start, end } = way.steps[at - 1]!;
  return start + (/^import\s+(?:type\s+)?/.exec(way.text.slice(start, end))?.[0].length ?? 0);
}
