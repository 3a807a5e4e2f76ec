import {
  argument,
  define,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  refer,
  reference,
  type ScopeRules,
  type Way,
} from "../scope-rules.ts";

const { type } = kinds;

/** What functions hold, and parameters of types; all else is a member, or another file's as well. */
export const kotlin: ScopeRules = {
  names: {
    simple_identifier: reference,
    interpolated_identifier: reference,
    type_identifier: refer({ kind: type }),
  },
  places: {
    multi_variable_declaration: "up",
    variable_declaration: (way, at) => (isFirst(way, at) ? "up" : reference),
    property_declaration: variable,
    for_statement: (way, at) => (isDeclared(way, at) ? define() : reference),
    lambda_parameters: define(),
    when_subject: (way, at) => (isDeclared(way, at) ? define() : reference),
    catch_block: (way, at) =>
      way.steps[at]!.type === "simple_identifier" &&
      /catch\s*\(\s*$/.test(way.text.slice(0, way.steps[at]!.start).slice(-40))
        ? define()
        : reference,
    parameter: (way, at) => (isFirst(way, at) ? parameter(way, at) : reference),
    class_parameter: (way, at) => (isNamed(way, at) ? define({ isMember: true }) : reference),
    type_parameter: (way, at) => (isFirst(way, at) ? define({ kind: type }) : refer({ kind: type })),
    function_declaration: (way, at) => (isFunctionName(way, at) ? named(way, at) : reference),
    class_declaration: (way, at) =>
      way.steps[at]!.type === "type_identifier" ? memberDefinition : reference,
    object_declaration: memberDefinition,
    companion_object: memberDefinition,
    type_alias: memberDefinition,
    enum_entry: memberDefinition,
    navigation_suffix: member,
    callable_reference: member,
    value_argument: (way, at) =>
      /^\s*=(?!=)/.test(way.text.slice(way.steps[at]!.end, way.steps[at - 1]!.end)) ? argument : reference,
    identifier: foreign,
    import_alias: foreign,
    infix_expression: (way, at) => (isOperator(way, at) ? member : reference),
  },
  scopes: {
    function_body: "block",
    control_structure_body: "block",
    statements: "block",
    lambda_literal: "function",
    anonymous_function: "function",
    function_declaration: "function",
    secondary_constructor: "function",
    getter: "function",
    setter: "function",
    for_statement: "block",
    catch_block: "block",
    when_expression: "block",
    class_declaration: "block",
    class_body: "block",
  },
  // A class within a function may inherit a member of the same name.
  clouds: ({ steps }, index) =>
    steps[index]!.type === "class_body" &&
    steps.slice(0, index).some(({ type: kind }) => kind === "statements"),
  spelling: /^[\p{L}_][\p{L}\p{Nd}_]*$/u,
  reserved:
    "_ as break class continue do else false for fun if in interface is null object package return super this throw true try " +
    "typealias typeof val var when while by catch constructor delegate dynamic field file finally get import init it out set where",
  byName: /::class\b.*\bmembers?\b/,
};

function isFirst({ steps }: Way, at: number): boolean {
  return steps[at]!.start === steps[at - 1]!.start;
}

/** In front of the type, and not the value by which it is left out. */
function isNamed(way: Way, at: number): boolean {
  return /^\s*:/.test(way.text.slice(way.steps[at]!.end, way.steps[at - 1]!.end));
}

function isDeclared({ steps }: Way, at: number): boolean {
  return /^(?:multi_)?variable_declaration$/.test(steps[at]!.type);
}

function isFunctionName(way: Way, at: number): boolean {
  return /^\s*\(/.test(way.text.slice(way.steps[at]!.end)) && way.steps[at]!.type === "simple_identifier";
}

/** `a and b` calls a member of the first. */
function isOperator({ steps }: Way, at: number): boolean {
  const [{ start, end }, whole] = [steps[at]!, steps[at - 1]!];
  return start !== whole.start && end !== whole.end;
}

/** A local from where it stands on; in a class or a file others see it. */
function variable(way: Way, at: number): Meaning {
  if (!isDeclared(way, at)) return reference;
  const isLocal = way.steps[at - 2]?.type === "statements";
  return isLocal ? define({ from: way.steps[at - 1]!.end }) : define({ isMember: true });
}

function parameter({ steps }: Way, at: number): Meaning {
  const isOfFunction = steps[at - 2]?.type === "function_value_parameters";
  return define(isOfFunction && steps[at - 3]?.type !== "anonymous_function" ? { isArgument: true } : {});
}

function named({ steps }: Way, at: number): Meaning {
  return steps[at - 2]?.type === "statements" ? define({ in: "outside" }) : memberDefinition;
}
