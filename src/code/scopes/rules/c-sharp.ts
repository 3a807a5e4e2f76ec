import {
  argument,
  define,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  nameOf,
  refer,
  type ScopeRules,
  textOf,
  unclear,
  type Way,
} from "../scope-rules.ts";

const { any, label, type } = kinds;
const ofType = refer({ kind: type });

/** What a method holds, and parameters of types; what a class holds is a member of it. */
export const cSharp: ScopeRules = {
  names: { identifier: refer({ kind: any }), implicit_parameter: define() },
  places: {
    tuple_pattern: "up",
    parenthesized_variable_designation: "up",
    variable_declarator: variable,
    "declaration_expression.name": define(),
    "declaration_pattern.name": define(),
    "var_pattern.name": define(),
    "recursive_pattern.name": define(),
    "list_pattern.name": define(),
    "foreach_statement.left": define(),
    "catch_declaration.name": define(),
    "from_clause.name": define(),
    let_clause: unclear,
    join_clause: unclear,
    join_into_clause: unclear,
    query_continuation: unclear,
    "parameter.name": parameter,
    "parameter_list.name": parameter,
    "type_parameter.name": typeParameter,
    "local_function_statement.name": define({ in: "outside" }),
    labeled_statement: (way, at) =>
      way.steps[at]!.start === way.steps[at - 1]!.start ? define({ in: "function", kind: label }) : "up",
    goto_statement: refer({ kind: label }),

    "parameter.type": ofType,
    "variable_declaration.type": ofType,
    "declaration_expression.type": ofType,
    "declaration_pattern.type": ofType,
    "recursive_pattern.type": ofType,
    "foreach_statement.type": ofType,
    "catch_declaration.type": ofType,
    "cast_expression.type": ofType,
    "object_creation_expression.type": ofType,
    "array_type.type": ofType,
    "nullable_type.type": ofType,
    "method_declaration.returns": ofType,
    "local_function_statement.type": ofType,
    "property_declaration.type": ofType,
    type_argument_list: ofType,
    type_parameter_constraints_clause: ofType,
    generic_name: ofType,
    base_list: ofType,

    "class_declaration.name": memberDefinition,
    "struct_declaration.name": memberDefinition,
    "interface_declaration.name": memberDefinition,
    "record_declaration.name": memberDefinition,
    "enum_declaration.name": memberDefinition,
    "enum_member_declaration.name": memberDefinition,
    "delegate_declaration.name": memberDefinition,
    "method_declaration.name": memberDefinition,
    "constructor_declaration.name": memberDefinition,
    "destructor_declaration.name": memberDefinition,
    "property_declaration.name": memberDefinition,
    "event_declaration.name": memberDefinition,
    "member_access_expression.name": member,
    "member_binding_expression.name": member,
    "qualified_name.name": member,
    subpattern: member,
    "argument.name": argument,
    attribute: foreign,
    attribute_argument: unclear,
    name_equals: foreign,
    using_directive: foreign,
    anonymous_object_creation_expression: propertyOrValue,
    "assignment_expression.left": (way, at) =>
      /initializer/.test(way.steps[at - 2]?.type ?? "") ? member : refer({ kind: any }),
  },
  scopes: {
    block: "block",
    declaration_list: "block",
    class_declaration: "block",
    struct_declaration: "block",
    interface_declaration: "block",
    record_declaration: "block",
    delegate_declaration: "function",
    method_declaration: "function",
    constructor_declaration: "function",
    destructor_declaration: "function",
    operator_declaration: "function",
    conversion_operator_declaration: "function",
    indexer_declaration: "function",
    property_declaration: "function",
    accessor_declaration: "function",
    local_function_statement: "function",
    lambda_expression: "function",
    anonymous_method_expression: "function",
    for_statement: "block",
    foreach_statement: "block",
    using_statement: "block",
    fixed_statement: "block",
    catch_clause: "block",
    switch_section: "block",
    switch_expression_arm: "block",
    query_expression: "block",
  },
  isSeenBy: ({ steps }, index) =>
    steps[index]!.type !== "foreach_statement" || steps[index + 1]?.field !== "right",
  spelling: /^@?[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u,
  reserved:
    "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum " +
    "event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long " +
    "namespace new null object operator out override params private protected public readonly ref return sbyte sealed short " +
    "sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual " +
    "void volatile while _ async await dynamic field nameof value var when where with yield",
  byName: /\bGet(?:Field|Property|Method)\s*\(/,
};

/** Locals hold in all of their block; those of a class are members. */
function variable(way: Way, at: number): Meaning {
  if (way.steps[at]!.field !== "name" && way.steps[at]!.type !== "tuple_pattern") return refer({ kind: any });
  const holder = way.steps[at - 3]?.type;
  const isLocal = holder !== undefined && /^(?:local_declaration|for|using|fixed)_statement$/.test(holder);
  return isLocal ? define() : define({ isMember: true });
}

/** All parts of a type have to call them alike. */
function typeParameter(way: Way, at: number): Meaning {
  const declaration = way.steps[at - 3];
  const head = declaration ? textOf(way, { start: declaration.start, end: way.steps[at]!.start }) : "";
  return /\bpartial\b/.test(head) ? unclear : define({ kind: type });
}

function parameter({ steps }: Way, at: number): Meaning {
  const list = steps
    .slice(0, at)
    .findLastIndex(({ type: kind }) => kind === "parameter_list" || kind === "bracketed_parameter_list");
  const holder = steps[list - 1]?.type ?? "";
  if (/^(?:record|class|struct)_declaration$/.test(holder)) return define({ isMember: true });
  return /^(?:lambda|anonymous)/.test(holder) ? define() : define({ isArgument: true });
}

/** `new { name }` names a property as well; in `new { name = other }` it is only that. */
function propertyOrValue(way: Way, at: number): Meaning {
  const { start, end } = way.steps[at]!;
  const object = way.steps[at - 1]!;
  if (/=\s*$/.test(textOf(way, { start: object.start, end: start }))) return refer({ kind: any });
  if (/^\s*=/.test(way.text.slice(end, object.end))) return foreign;
  return refer({ kind: any, around: { before: `${nameOf(way)} = `, after: "" } });
}
