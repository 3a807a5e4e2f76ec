import {
  define,
  kinds,
  type Meaning,
  type NodePath,
  refer,
  type ScopeRules,
  scopeRules,
} from "../scope-rules.ts";

const { any, label, type } = kinds;
const ofType = refer({ kind: type });

/** Covers locals of methods, and type parameters. Everything in a class is a member. */
export const cSharp: ScopeRules = scopeRules({
  names: { identifier: refer({ kind: any }), implicit_parameter: define() },
  positions: {
    "tuple_pattern parenthesized_variable_designation": "up",
    variable_declarator: variable,
    "declaration_expression.name declaration_pattern.name var_pattern.name": define(),
    "recursive_pattern.name list_pattern.name foreach_statement.left catch_declaration.name": define(),
    "from_clause.name": define(),
    "let_clause join_clause join_into_clause query_continuation attribute_argument": "unclear",
    "parameter.name parameter_list.name": parameter,
    "type_parameter.name": typeParameter,
    "local_function_statement.name": define({ in: "outside" }),
    labeled_statement: (path, at) =>
      path.steps[at]!.start === path.steps[at - 1]!.start ? define({ in: "function", kind: label }) : "up",
    goto_statement: refer({ kind: label }),
    "parameter.type variable_declaration.type declaration_expression.type declaration_pattern.type": ofType,
    "recursive_pattern.type foreach_statement.type catch_declaration.type cast_expression.type": ofType,
    "object_creation_expression.type array_type.type nullable_type.type method_declaration.returns": ofType,
    "local_function_statement.type property_declaration.type type_argument_list": ofType,
    "type_parameter_constraints_clause generic_name base_list": ofType,
    "class_declaration.name struct_declaration.name interface_declaration.name": "member definition",
    "record_declaration.name enum_declaration.name enum_member_declaration.name": "member definition",
    "delegate_declaration.name method_declaration.name constructor_declaration.name": "member definition",
    "destructor_declaration.name property_declaration.name event_declaration.name": "member definition",
    "member_access_expression.name member_binding_expression.name qualified_name.name subpattern": "member",
    "argument.name": "argument",
    "attribute name_equals using_directive": "foreign",
    anonymous_object_creation_expression: propertyOrValue,
    "assignment_expression.left": (path, at) =>
      /initializer/.test(path.steps[at - 2]?.type ?? "") ? "member" : refer({ kind: any }),
  },
  scopes: {
    "block declaration_list class_declaration struct_declaration interface_declaration": "block",
    "record_declaration for_statement foreach_statement using_statement fixed_statement": "block",
    "catch_clause switch_section switch_expression_arm query_expression": "block",
    "delegate_declaration method_declaration constructor_declaration destructor_declaration": "function",
    "operator_declaration conversion_operator_declaration indexer_declaration": "function",
    "property_declaration accessor_declaration local_function_statement lambda_expression": "function",
    anonymous_method_expression: "function",
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
});

/** Defines a variable. A local is visible in its whole block; a variable of a class is a member. */
function variable(path: NodePath, at: number): Meaning {
  if (path.steps[at]!.field !== "name" && path.steps[at]!.type !== "tuple_pattern")
    return refer({ kind: any });
  const holder = path.steps[at - 3]?.type;
  const isLocal = /^(?:local_declaration|for|using|fixed)_statement$/.test(holder ?? "");
  return define(isLocal ? {} : { isMember: true });
}

/** Defines a type parameter. All parts of a partial type must use the same name, so there it is unclear. */
function typeParameter(path: NodePath, at: number): Meaning {
  const declaration = path.steps[at - 3];
  const head = declaration ? path.textOf({ start: declaration.start, end: path.steps[at]!.start }) : "";
  return /\bpartial\b/.test(head) ? "unclear" : define({ kind: type });
}

function parameter({ steps }: NodePath, at: number): Meaning {
  const list = steps
    .slice(0, at)
    .findLastIndex(({ type: kind }) => /^(?:bracketed_)?parameter_list$/.test(kind));
  const holder = steps[list - 1]?.type ?? "";
  if (/^(?:record|class|struct)_declaration$/.test(holder)) return define({ isMember: true });
  return /^(?:lambda|anonymous)/.test(holder) ? define() : define({ isArgument: true });
}

/** Resolves `name` in `new { name }`, where it is also a property, and in `new { name = other }`. */
function propertyOrValue(path: NodePath, at: number): Meaning {
  if (/=\s*$/.test(path.textBefore(at))) return refer({ kind: any });
  if (/^\s*=/.test(path.textAfter(at))) return "foreign";
  return refer({ kind: any, around: { before: `${path.name} = `, after: "" } });
}
