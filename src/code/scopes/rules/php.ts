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
  textOf,
  unclear,
  type Way,
} from "../scope-rules.ts";

/** The variables of PHP: each belongs to a function as a whole, or to the file. */
export const php: ScopeRules = {
  names: { name: (way) => (isVariable(way) ? reference : foreign) },
  places: {
    variable_name: "up",
    list_literal: "up",
    by_ref: "up",
    pair: "up",
    "assignment_expression.left": assigned,
    "reference_assignment_expression.left": assigned,
    "augmented_assignment_expression.left": assigned,
    "static_variable_declaration.name": assigned,
    "catch_clause.name": assigned,
    foreach_statement: (way, at) =>
      /\bas\b/.test(textOf(way, { start: way.steps[at - 1]!.start, end: way.steps[at]!.start }))
        ? assigned(way)
        : reference,
    "simple_parameter.name": define({ isArgument: true }),
    "variadic_parameter.name": define({ isArgument: true }),
    "property_promotion_parameter.name": define({ isMember: true }),
    "property_element.name": memberDefinition,
    "scoped_property_access_expression.name": member,
    "member_access_expression.name": memberOf,
    "nullsafe_member_access_expression.name": memberOf,
    "member_call_expression.name": memberOf,
    "nullsafe_member_call_expression.name": memberOf,
    "argument.name": argument,
    global_declaration: refer({ declares: "file" }),
    anonymous_function_use_clause: refer({ declares: "outer" }),
    dynamic_variable_name: unclear,
  },
  scopes: {
    function_definition: "function",
    method_declaration: "function",
    anonymous_function: "function",
    arrow_function: "clause",
  },
  hides: ({ steps }, index) =>
    /^(?:function_definition|method_declaration|anonymous_function)$/.test(steps[index]!.type)
      ? kinds.any
      : 0,
  spelling: /^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/,
  reserved: "this GLOBALS _SERVER _GET _POST _FILES _COOKIE _SESSION _REQUEST _ENV",
  byName:
    /\b(?:compact|extract|get_defined_vars|eval|parse_str)\s*\(|\$\$\w|\b(?:include|require)(?:_once)?\b/,
};

function isVariable({ steps }: Way): boolean {
  return steps.at(-2)?.type === "variable_name";
}

/** `$a->b` names a member, `$a->$b` a variable that holds the name of one. */
function memberOf(way: Way): Meaning {
  return isVariable(way) ? reference : member;
}

function assigned({ steps }: Way): Meaning {
  const isOfFile = !steps.some(({ type }) => php.scopes[type] !== undefined);
  return define({ in: "function", isPublic: isOfFile });
}
