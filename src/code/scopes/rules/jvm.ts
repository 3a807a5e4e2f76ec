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

const { any, label, type } = kinds;

export const java: ScopeRules = scopeRules({
  names: { identifier: reference, type_identifier: typeName },
  positions: {
    "variable_declarator.name": variable,
    "formal_parameter.name": (path, at) =>
      define(path.steps[at - 3]?.type === "record_declaration" ? { isMember: true } : {}),
    "catch_formal_parameter.name lambda_expression.parameters inferred_parameters": define(),
    "enhanced_for_statement.name": define(),
    "resource.name": (path) => define({ from: path.steps.at(-1)!.start }),
    "instanceof_expression.name": "unclear",
    "type_pattern record_pattern_component": pattern,
    "record_pattern constructor_declaration.name": refer({ kind: type }),
    "compact_constructor_declaration.name annotation.name marker_annotation.name": refer({ kind: type }),
    switch_label: "unclear",
    type_parameter: define({ kind: type }),
    "class_declaration.name interface_declaration.name enum_declaration.name": named,
    "record_declaration.name annotation_type_declaration.name": named,
    "method_declaration.name annotation_type_element_declaration.name": "member definition",
    "enum_constant.name": define({ isMember: true }),
    "field_access.field method_invocation.name": "member",
    "method_reference scoped_type_identifier": (path, at) =>
      isFirst(path, at) ? refer({ kind: any }) : "member",
    "scoped_identifier package_declaration import_declaration element_value_pair.key": "foreign",
    labeled_statement: define({ kind: label }),
    "break_statement continue_statement": refer({ kind: label }),
  },
  scopes: {
    "block constructor_body class_body interface_body enum_body annotation_type_body": "block",
    "class_declaration interface_declaration enum_declaration record_declaration for_statement": "block",
    "enhanced_for_statement try_with_resources_statement catch_clause switch_block switch_rule": "block",
    labeled_statement: "block",
    "method_declaration constructor_declaration compact_constructor_declaration": "function",
    lambda_expression: "function",
  },
  isSeenBy: ({ steps }, index) => {
    const [{ type: scope }, next] = [steps[index]!, steps[index + 1]?.field];
    if (scope === "enhanced_for_statement") return next === "body" || next === "name";
    return scope !== "try_with_resources_statement" || next === "body" || next === "resources";
  },
  // A class in a method may inherit a field of the same name.
  clouds: (path, index) =>
    path.steps[index]!.type === "class_body" &&
    path.nearest(["block", "constructor_body"], index - 1) !== undefined,
  spelling: /^[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mn}\p{Mc}]*$/u,
  reserved:
    "_ abstract assert boolean break byte case catch char class const continue default do double else enum extends false final " +
    "finally float for goto if implements import instanceof int interface long native new null package private protected " +
    "public return short static strictfp super switch synchronized this throw throws transient true try void volatile while " +
    "var yield record sealed permits",
  byName: /\bgetDeclared(?:Field|Method)\s*\(|\bClass\.forName\s*\(/,
});

/** Refers to a type. `outer.new Inner()` resolves the name in the type of `outer`. */
function typeName({ text, steps }: NodePath): Meaning {
  const { start } = steps.at(-1)!;
  return /\.\s*new\s+$/.test(text.slice(Math.max(0, start - 40), start)) ? "member" : refer({ kind: type });
}

function variable(path: NodePath, at: number): Meaning {
  const holder = path.steps[at - 2]?.type;
  if (holder === "local_variable_declaration") return define({ at: at - 2, from: path.steps[at]!.start });
  return define(holder === "spread_parameter" ? {} : { isMember: true });
}

/** Defines a name in a pattern. In a condition it is visible where the condition is true, which braces do not show. */
function pattern(path: NodePath, at: number): Meaning {
  const isLast = path.steps[at]!.end === path.steps[at - 1]!.end;
  if (!isLast) return refer({ kind: type });
  return path.nearest(["switch_label"], at) ? define() : "unclear";
}

function named(path: NodePath, at: number): Meaning {
  return define({
    in: "outside",
    kind: any,
    isPathed: true,
    isPublic: path.nearest(["block"], at - 1) === undefined,
  });
}

/** Covers locals of functions, and type parameters. Everything else is a member or visible to other files. */
export const kotlin: ScopeRules = scopeRules({
  names: {
    "simple_identifier interpolated_identifier": reference,
    type_identifier: refer({ kind: type }),
  },
  positions: {
    multi_variable_declaration: "up",
    variable_declaration: (path, at) => (isFirst(path, at) ? "up" : reference),
    property_declaration: kotlinVariable,
    "for_statement when_subject": (path, at) => (isDeclared(path, at) ? define() : reference),
    lambda_parameters: define(),
    catch_block: (path, at) =>
      path.steps[at]!.type === "simple_identifier" &&
      /catch\s*\(\s*$/.test(path.text.slice(0, path.steps[at]!.start).slice(-40))
        ? define()
        : reference,
    parameter: (path, at) => (isFirst(path, at) ? kotlinParameter(path, at) : reference),
    class_parameter: (path, at) =>
      /^\s*:/.test(path.textAfter(at)) ? define({ isMember: true }) : reference,
    type_parameter: (path, at) => (isFirst(path, at) ? define({ kind: type }) : refer({ kind: type })),
    function_declaration: (path, at) => (isFunctionName(path, at) ? kotlinName(path, at) : reference),
    class_declaration: (path, at) =>
      path.steps[at]!.type === "type_identifier" ? "member definition" : reference,
    "object_declaration companion_object type_alias enum_entry": "member definition",
    "navigation_suffix callable_reference": "member",
    value_argument: (path, at) => (/^\s*=(?!=)/.test(path.textAfter(at)) ? "argument" : reference),
    "identifier import_alias": "foreign",
    infix_expression: (path, at) => (isOperator(path, at) ? "member" : reference),
  },
  scopes: {
    "function_body control_structure_body statements for_statement catch_block when_expression": "block",
    "class_declaration class_body": "block",
    "lambda_literal anonymous_function function_declaration secondary_constructor getter": "function",
    setter: "function",
  },
  // A class in a function may inherit a member of the same name.
  clouds: (path, index) =>
    path.steps[index]!.type === "class_body" && path.nearest(["statements"], index - 1) !== undefined,
  spelling: /^[\p{L}_][\p{L}\p{Nd}_]*$/u,
  reserved:
    "_ as break class continue do else false for fun if in interface is null object package return super this throw true try " +
    "typealias typeof val var when while by catch constructor delegate dynamic field file finally get import init it out set where",
  byName: /::class\b.*\bmembers?\b/,
});

function isFirst({ steps }: NodePath, at: number): boolean {
  return steps[at]!.start === steps[at - 1]!.start;
}

function isDeclared({ steps }: NodePath, at: number): boolean {
  return /^(?:multi_)?variable_declaration$/.test(steps[at]!.type);
}

function isFunctionName(path: NodePath, at: number): boolean {
  return /^\s*\(/.test(path.text.slice(path.steps[at]!.end)) && path.steps[at]!.type === "simple_identifier";
}

function isOperator({ steps }: NodePath, at: number): boolean {
  const [{ start, end }, whole] = [steps[at]!, steps[at - 1]!];
  return start !== whole.start && end !== whole.end;
}

/** Defines a variable. A local is visible from its declaration on; others see a variable of a class or file. */
function kotlinVariable(path: NodePath, at: number): Meaning {
  if (!isDeclared(path, at)) return reference;
  const isLocal = path.steps[at - 2]?.type === "statements";
  return isLocal ? define({ from: path.steps[at - 1]!.end }) : define({ isMember: true });
}

function kotlinParameter({ steps }: NodePath, at: number): Meaning {
  const isOfFunction = steps[at - 2]?.type === "function_value_parameters";
  return define(isOfFunction && steps[at - 3]?.type !== "anonymous_function" ? { isArgument: true } : {});
}

function kotlinName({ steps }: NodePath, at: number): Meaning {
  return steps[at - 2]?.type === "statements" ? define({ in: "outside" }) : "member definition";
}
