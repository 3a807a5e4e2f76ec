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
  nearestOf,
  refer,
  reference,
  type ScopeRules,
  scopesOf,
  unclear,
} from "../scope-rules.ts";

const { any, label, type } = kinds;

export const java: ScopeRules = {
  names: { identifier: reference, type_identifier: typeName },
  positions: {
    "variable_declarator.name": variable,
    "formal_parameter.name": (way, at) =>
      define(way.steps[at - 3]?.type === "record_declaration" ? { isMember: true } : {}),
    ...each(
      "catch_formal_parameter.name lambda_expression.parameters inferred_parameters " +
        "enhanced_for_statement.name",
      define(),
    ),
    "resource.name": (way) => define({ from: way.steps.at(-1)!.start }),
    "instanceof_expression.name": unclear,
    type_pattern: pattern,
    record_pattern_component: pattern,
    ...each(
      "record_pattern constructor_declaration.name compact_constructor_declaration.name annotation.name " +
        "marker_annotation.name",
      refer({ kind: type }),
    ),
    switch_label: unclear,
    type_parameter: define({ kind: type }),
    ...each(
      "class_declaration.name interface_declaration.name enum_declaration.name record_declaration.name " +
        "annotation_type_declaration.name",
      named,
    ),
    "method_declaration.name": memberDefinition,
    "annotation_type_element_declaration.name": memberDefinition,
    "enum_constant.name": define({ isMember: true }),
    "field_access.field": member,
    "method_invocation.name": member,
    method_reference: ({ steps }, at) =>
      steps[at]!.start === steps[at - 1]!.start ? refer({ kind: any }) : member,
    scoped_type_identifier: ({ steps }, at) =>
      steps[at]!.start === steps[at - 1]!.start ? refer({ kind: any }) : member,
    ...each("scoped_identifier package_declaration import_declaration element_value_pair.key", foreign),
    labeled_statement: define({ kind: label }),
    break_statement: refer({ kind: label }),
    continue_statement: refer({ kind: label }),
  },
  scopes: scopesOf({
    block:
      "block constructor_body class_body interface_body enum_body annotation_type_body class_declaration " +
      "interface_declaration enum_declaration record_declaration for_statement enhanced_for_statement " +
      "try_with_resources_statement catch_clause switch_block switch_rule labeled_statement",
    function: "method_declaration constructor_declaration compact_constructor_declaration lambda_expression",
  }),
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
  // A class in a method may inherit a field of the same name.
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

/** `outer.new Inner()` resolves the name in the type of `outer`. */
function typeName({ text, steps }: NodePath): Meaning {
  const { start } = steps.at(-1)!;
  return /\.\s*new\s+$/.test(text.slice(Math.max(0, start - 40), start)) ? member : refer({ kind: type });
}

function variable(way: NodePath, at: number): Meaning {
  switch (way.steps[at - 2]?.type) {
    case "local_variable_declaration":
      return define({ at: at - 2, from: way.steps[at]!.start });
    case "spread_parameter":
      return define();
    default:
      return define({ isMember: true });
  }
}

/** In a condition it is visible where that is true, which brackets do not show. */
function pattern(way: NodePath, at: number): Meaning {
  const isLast = way.steps[at]!.end === way.steps[at - 1]!.end;
  if (!isLast) return refer({ kind: type });
  return nearestOf(way, at, ["switch_label"]) ? define() : unclear;
}

function named(way: NodePath, at: number): Meaning {
  return define({
    in: "outside",
    kind: any,
    isPathed: true,
    isPublic: !way.steps.slice(0, at).some(({ type: kind }) => kind === "block"),
  });
}

/** Locals of functions, and type parameters; everything else is a member or visible to other files. */
export const kotlin: ScopeRules = {
  names: {
    simple_identifier: reference,
    interpolated_identifier: reference,
    type_identifier: refer({ kind: type }),
  },
  positions: {
    multi_variable_declaration: "up",
    variable_declaration: (way, at) => (isFirst(way, at) ? "up" : reference),
    property_declaration: kotlinVariable,
    for_statement: (way, at) => (isDeclared(way, at) ? define() : reference),
    lambda_parameters: define(),
    when_subject: (way, at) => (isDeclared(way, at) ? define() : reference),
    catch_block: (way, at) =>
      way.steps[at]!.type === "simple_identifier" &&
      /catch\s*\(\s*$/.test(way.text.slice(0, way.steps[at]!.start).slice(-40))
        ? define()
        : reference,
    parameter: (way, at) => (isFirst(way, at) ? kotlinParameter(way, at) : reference),
    class_parameter: (way, at) => (isNamed(way, at) ? define({ isMember: true }) : reference),
    type_parameter: (way, at) => (isFirst(way, at) ? define({ kind: type }) : refer({ kind: type })),
    function_declaration: (way, at) => (isFunctionName(way, at) ? kotlinName(way, at) : reference),
    class_declaration: (way, at) =>
      way.steps[at]!.type === "type_identifier" ? memberDefinition : reference,
    ...each("object_declaration companion_object type_alias enum_entry", memberDefinition),
    navigation_suffix: member,
    callable_reference: member,
    value_argument: (way, at) =>
      /^\s*=(?!=)/.test(way.text.slice(way.steps[at]!.end, way.steps[at - 1]!.end)) ? argument : reference,
    identifier: foreign,
    import_alias: foreign,
    infix_expression: (way, at) => (isOperator(way, at) ? member : reference),
  },
  scopes: scopesOf({
    block:
      "function_body control_structure_body statements for_statement catch_block when_expression " +
      "class_declaration class_body",
    function: "lambda_literal anonymous_function function_declaration secondary_constructor getter setter",
  }),
  // A class in a function may inherit a member of the same name.
  clouds: ({ steps }, index) =>
    steps[index]!.type === "class_body" &&
    steps.slice(0, index).some(({ type: kind }) => kind === "statements"),
  spelling: /^[\p{L}_][\p{L}\p{Nd}_]*$/u,
  reserved:
    "_ as break class continue do else false for fun if in interface is null object package return super this throw true try " +
    "typealias typeof val var when while by catch constructor delegate dynamic field file finally get import init it out set where",
  byName: /::class\b.*\bmembers?\b/,
};

function isFirst({ steps }: NodePath, at: number): boolean {
  return steps[at]!.start === steps[at - 1]!.start;
}

/** Before the type, not in the default value. */
function isNamed(way: NodePath, at: number): boolean {
  return /^\s*:/.test(way.text.slice(way.steps[at]!.end, way.steps[at - 1]!.end));
}

function isDeclared({ steps }: NodePath, at: number): boolean {
  return /^(?:multi_)?variable_declaration$/.test(steps[at]!.type);
}

function isFunctionName(way: NodePath, at: number): boolean {
  return /^\s*\(/.test(way.text.slice(way.steps[at]!.end)) && way.steps[at]!.type === "simple_identifier";
}

function isOperator({ steps }: NodePath, at: number): boolean {
  const [{ start, end }, whole] = [steps[at]!, steps[at - 1]!];
  return start !== whole.start && end !== whole.end;
}

/** A local from its declaration on; in a class or file others see it. */
function kotlinVariable(way: NodePath, at: number): Meaning {
  if (!isDeclared(way, at)) return reference;
  const isLocal = way.steps[at - 2]?.type === "statements";
  return isLocal ? define({ from: way.steps[at - 1]!.end }) : define({ isMember: true });
}

function kotlinParameter({ steps }: NodePath, at: number): Meaning {
  const isOfFunction = steps[at - 2]?.type === "function_value_parameters";
  return define(isOfFunction && steps[at - 3]?.type !== "anonymous_function" ? { isArgument: true } : {});
}

function kotlinName({ steps }: NodePath, at: number): Meaning {
  return steps[at - 2]?.type === "statements" ? define({ in: "outside" }) : memberDefinition;
}
