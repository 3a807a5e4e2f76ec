import {
  define,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  nearestOf,
  refer,
  reference,
  type ScopeRules,
  unclear,
  type Way,
} from "../scope-rules.ts";

const { any, label, type } = kinds;

export const java: ScopeRules = {
  names: { identifier: reference, type_identifier: typeName },
  places: {
    "variable_declarator.name": variable,
    "formal_parameter.name": (way, at) =>
      define(way.steps[at - 3]?.type === "record_declaration" ? { isMember: true } : {}),
    "catch_formal_parameter.name": define(),
    "lambda_expression.parameters": define(),
    inferred_parameters: define(),
    "resource.name": (way) => define({ from: way.steps.at(-1)!.start }),
    "enhanced_for_statement.name": define(),
    "instanceof_expression.name": unclear,
    type_pattern: pattern,
    record_pattern_component: pattern,
    record_pattern: refer({ kind: type }),
    switch_label: unclear,
    type_parameter: define({ kind: type }),

    "class_declaration.name": named,
    "interface_declaration.name": named,
    "enum_declaration.name": named,
    "record_declaration.name": named,
    "annotation_type_declaration.name": named,
    "constructor_declaration.name": refer({ kind: type }),
    "compact_constructor_declaration.name": refer({ kind: type }),
    "method_declaration.name": memberDefinition,
    "annotation_type_element_declaration.name": memberDefinition,
    "enum_constant.name": define({ isMember: true }),
    "field_access.field": member,
    "method_invocation.name": member,
    method_reference: ({ steps }, at) =>
      steps[at]!.start === steps[at - 1]!.start ? refer({ kind: any }) : member,
    scoped_type_identifier: ({ steps }, at) =>
      steps[at]!.start === steps[at - 1]!.start ? refer({ kind: any }) : member,
    scoped_identifier: foreign,
    package_declaration: foreign,
    import_declaration: foreign,
    "annotation.name": refer({ kind: type }),
    "marker_annotation.name": refer({ kind: type }),
    "element_value_pair.key": foreign,
    labeled_statement: define({ kind: label }),
    break_statement: refer({ kind: label }),
    continue_statement: refer({ kind: label }),
  },
  scopes: {
    block: "block",
    constructor_body: "block",
    class_body: "block",
    interface_body: "block",
    enum_body: "block",
    annotation_type_body: "block",
    class_declaration: "block",
    interface_declaration: "block",
    enum_declaration: "block",
    record_declaration: "block",
    method_declaration: "function",
    constructor_declaration: "function",
    compact_constructor_declaration: "function",
    lambda_expression: "function",
    for_statement: "block",
    enhanced_for_statement: "block",
    try_with_resources_statement: "block",
    catch_clause: "block",
    switch_block: "block",
    switch_rule: "block",
    labeled_statement: "block",
  },
  isSeenBy: ({ steps }, index) => {
    const next = steps[index + 1];
    switch (steps[index]!.type) {
      case "enhanced_for_statement":
        return next?.field === "body" || next?.field === "name";
      case "try_with_resources_statement":
        return next?.field === "body" || next?.field === "resources";
      default:
        return true;
    }
  },
  // A class within a method may inherit a field of the same name.
  clouds: ({ steps }, index) =>
    steps[index]!.type === "class_body" &&
    steps.slice(0, index).some(({ type: kind }) => kind === "block" || kind === "constructor_body"),
  spelling: /^[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mn}\p{Mc}]*$/u,
  reserved:
    "_ abstract assert boolean break byte case catch char class const continue default do double else enum extends false final " +
    "finally float for goto if implements import instanceof int interface long native new null package private protected " +
    "public return short static strictfp super switch synchronized this throw throws transient true try void volatile while " +
    "var yield record sealed permits",
  byName: /\bgetDeclared(?:Field|Method)\s*\(|\bClass\.forName\s*\(/,
};

/** `outer.new Inner()` looks for it in the type of `outer`. */
function typeName({ text, steps }: Way): Meaning {
  const { start } = steps.at(-1)!;
  return /\.\s*new\s+$/.test(text.slice(Math.max(0, start - 40), start)) ? member : refer({ kind: type });
}

function variable(way: Way, at: number): Meaning {
  switch (way.steps[at - 2]?.type) {
    case "local_variable_declaration":
      return define({ at: at - 2, from: way.steps[at]!.start });
    case "spread_parameter":
      return define();
    default:
      return define({ isMember: true });
  }
}

/** In a condition it holds where that is true, which is not told by brackets. */
function pattern(way: Way, at: number): Meaning {
  const isLast = way.steps[at]!.end === way.steps[at - 1]!.end;
  if (!isLast) return refer({ kind: type });
  return nearestOf(way, at, ["switch_label"]) ? define() : unclear;
}

function named(way: Way, at: number): Meaning {
  return define({
    in: "outside",
    kind: any,
    isPathed: true,
    isPublic: !way.steps.slice(0, at).some(({ type: kind }) => kind === "block"),
  });
}
