import {
  type Decide,
  type Definition,
  define,
  kinds,
  type Meaning,
  type NodePath,
  refer,
  reference,
  type ScopeRules,
  type Step,
  scopeRules,
} from "../scope-rules.ts";

const { any, type } = kinds;

/** The rules of TypeScript, with and without JSX, and of JavaScript. */
export const typescript: ScopeRules = scopeRules({
  names: {
    identifier: reference,
    type_identifier: refer({ kind: type }),
    "shorthand_property_identifier shorthand_property_identifier_pattern": reference,
    statement_identifier: refer({ kind: kinds.label }),
    property_identifier: "member",
    private_property_identifier: refer({ kind: kinds.private }),
  },
  positions: {
    object: (path) => refer({ around: { before: `${path.name}: `, after: "" } }),
    "array_pattern object_pattern rest_pattern pair_pattern.value assignment_pattern.left": "up",
    "object_assignment_pattern.left": "up",
    "assignment_expression.left": written(() => reference),
    "augmented_assignment_expression.left": reference,
    "for_in_statement.left": written(loopVariable),
    "variable_declarator.name": written(variable),
    "required_parameter.pattern optional_parameter.pattern": written(parameter),
    "formal_parameters catch_clause.parameter": written(() => define()),
    "arrow_function.parameter function_expression.name generator_function.name": define(),
    "index_signature.name": define(),
    "function_declaration.name generator_function_declaration.name": declared(define({ in: "outside" })),
    "function_signature.name": declared(define({ in: "outside" })),
    "class_declaration.name": declared(define({ in: "outside", kind: any })),
    "abstract_class_declaration.name enum_declaration.name": declared(define({ in: "outside", kind: any })),
    "internal_module.name module.name": declared(define({ in: "outside", kind: any })),
    "class.name": define({ kind: any }),
    "interface_declaration.name type_alias_declaration.name": declared(define({ in: "outside", kind: type })),
    "nested_identifier.object": (path, at) =>
      path.steps[at - 1]?.field === "name" ? "up" : refer({ kind: any }),
    "nested_identifier.property": "member",
    "type_parameter.name": typeParameter,
    "mapped_type_clause.name": define({ kind: type }),
    // The name is visible in one branch only, which the path to a name does not show.
    infer_type: "unclear",
    "enum_body enum_assignment.name": define({ isMember: true }),
    "labeled_statement.label": define({ kind: kinds.label }),
    "import_clause namespace_import import_specifier.alias": define({ in: "file", kind: any }),
    import_require_clause: define({ kind: any }),
    import_alias: (path, at) =>
      path.steps[at]!.start === firstWordOf(path, at) ? define({ kind: any }) : refer({ kind: any }),
    "import_specifier.name": (path, at) =>
      isAlone(path, at)
        ? define({ in: "file", kind: any, around: { before: `${path.name} as `, after: "" } })
        : "foreign",
    "export_specifier.alias namespace_export tuple_parameter.name optional_tuple_parameter.name": "foreign",
    "export_specifier.name": exported,
    "nested_type_identifier.module": refer({ kind: any }),
    "nested_type_identifier.name": "member",
    "jsx_opening_element.name jsx_closing_element.name jsx_self_closing_element.name": ({ name }) =>
      /^[\p{Ll}]/u.test(name) ? "foreign" : reference,
    with_statement: "unclear",
    "method_definition.name public_field_definition.name field_definition.property": ({ name }) =>
      // A name with `#` is only visible in its class.
      name.startsWith("#") ? define({ in: "outside", kind: kinds.private }) : "member definition",
    "method_signature.name abstract_method_signature.name property_signature.name": "member definition",
  },
  scopes: {
    "statement_block for_statement for_in_statement switch_body catch_clause class_declaration": "block",
    "abstract_class_declaration class class_body enum_declaration enum_body interface_declaration": "block",
    "type_alias_declaration index_signature conditional_type labeled_statement": "block",
    "class_static_block function_declaration generator_function_declaration": "function",
    "function_expression generator_function arrow_function method_definition function_signature": "function",
    "method_signature abstract_method_signature call_signature construct_signature": "function",
    "function_type constructor_type internal_module module": "function",
  },
  spelling: /^#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u,
  reserved:
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public return " +
    "static super switch this throw true try typeof undefined var void while with yield " +
    "any boolean never number object string symbol unknown bigint",
  byName: /\b(?:eval|Function)\s*\(|\bwith\s*\(/,
});

/** Handles names in patterns: `{ name }` also names a property, which stays. */
function written(decide: (path: NodePath, at: number) => Meaning): Decide {
  return (path, at) => {
    const meaning = decide(path, at);
    const isShort = path.steps.at(-1)!.type === "shorthand_property_identifier_pattern";
    if (!isShort || typeof meaning === "string") return meaning;
    return { ...meaning, around: { before: `${path.name}: `, after: "" } };
  };
}

function variable(path: NodePath, at: number): Meaning {
  const declaration = path.steps[at - 2]!;
  const isVar = declaration.type === "variable_declaration";
  return visible(path, at - 2, define({ in: isVar ? "function" : "nearest", at: at - 2 }));
}

/** Defines the variable of a loop. `for (x of …)` without a keyword only assigns. */
function loopVariable(path: NodePath, at: number): Meaning {
  const [, word] = /\b(var|let|const|using)\s*$/.exec(path.textBefore(at)) ?? [];
  if (word === undefined) return reference;
  return define({ in: word === "var" ? "function" : "nearest" });
}

/** Defines a parameter. `constructor(private name)` also declares a property. */
function parameter(path: NodePath, at: number): Meaning {
  const isMember = /\b(?:public|private|protected|readonly|override)\b/.test(path.textBefore(at));
  return define(isMember ? { isMember } : {});
}

/** Defines a type parameter. Classes and interfaces of one name merge, and must use the same type parameters. */
function typeParameter(path: NodePath, at: number): Meaning {
  const holder = path.steps[at - 3]!;
  const [, name] =
    /^(?:abstract\s+)?(?:class|interface)\s+([\p{ID_Continue}$]+)/u.exec(path.textOf(holder)) ?? [];
  if (name === undefined) return define({ kind: type });
  const declarations = [...path.text.matchAll(/\b(?:class|interface)\s+([\p{ID_Continue}$]+)/gu)];
  return declarations.filter(([, other]) => other === name).length > 1 ? "unclear" : define({ kind: type });
}

function declared(definition: Definition): Decide {
  return (path, at) => visible(path, at - 1, hoisted(path, at - 1, definition));
}

/** Widens the scope of a function in a block, because in sloppy mode it can be called outside the block. */
function hoisted({ steps }: NodePath, at: number, definition: Definition): Definition {
  const isFunction = /^(?:generator_)?function_/.test(steps[at]!.type);
  const isInBlock =
    steps[at - 1]?.type === "statement_block" && typescript.scopes[steps[at - 2]!.type] !== "function";
  return isFunction && isInBlock ? { ...definition, in: "function", at: at - 1 } : definition;
}

/** Marks a definition that others can see. An export of a namespace is a member of it. */
function visible(path: NodePath, at: number, definition: Definition): Meaning {
  const { steps } = path;
  const outer = path.nearest(["internal_module", "module"], at - 1);
  const ambient = path.nearest(["ambient_declaration"], at);
  const isGlobal = ambient && /^declare\s+global\b/.test(path.textOf(ambient));
  if (outer?.type === "module" || isGlobal) return "unclear";
  if (steps[at - 1]?.type !== "export_statement") return definition;
  if (outer !== undefined) return { ...definition, isMember: true };
  const isDefault = /^export\s+default\b/.test(path.textOf(steps[at - 1]!));
  return isDefault ? definition : { ...definition, isPublic: true };
}

/** Resolves a name in an export. `export { a } from "b"` refers to a name of another file. */
function exported(path: NodePath, at: number): Meaning {
  const clause = path.steps[at - 2] as Step;
  if (/^\s*from\b/.test(path.text.slice(clause.end, clause.end + 40))) return "foreign";
  const after = isAlone(path, at) ? ` as ${path.name}` : "";
  return refer({ kind: any, around: { before: "", after } });
}

/** Returns whether the specifier is only this name, except for a leading `type`. */
function isAlone(path: NodePath, at: number): boolean {
  return !/\bas\b/.test(path.textAfter(at));
}

function firstWordOf(path: NodePath, at: number): number {
  const { start, end } = path.steps[at - 1]!;
  return start + (/^import\s+(?:type\s+)?/.exec(path.text.slice(start, end))?.[0].length ?? 0);
}
