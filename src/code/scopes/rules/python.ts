import {
  type Definition,
  define,
  type Meaning,
  type NodePath,
  refer,
  reference,
  type ScopeRules,
  scopeRules,
} from "../scope-rules.ts";

export const python: ScopeRules = scopeRules({
  names: { identifier: reference },
  positions: {
    "tuple list parenthesized_expression pattern_list tuple_pattern list_pattern list_splat": "up",
    "list_splat_pattern dictionary_splat_pattern as_pattern_target": "up",
    "as_pattern.alias assignment.left augmented_assignment.left for_statement.left": assigned,
    "aliased_import.alias splat_pattern": assigned,
    "for_in_clause.left": define(),
    "named_expression.name": (path, at) => (isInClass(path, at) ? "unclear" : define({ in: "function" })),
    "function_definition.name class_definition.name": (path, at) => definedIn("outside", path, at - 2),
    "parameters lambda_parameters default_parameter.name typed_default_parameter.name": parameter,
    "typed_parameter.type": reference,
    typed_parameter: parameter,
    "keyword_argument.name": "argument",
    "attribute.attribute": "member",
    global_statement: refer({ declares: "file" }),
    nonlocal_statement: refer({ declares: "outer" }),
    dotted_name: dotted,
    keyword_pattern: "argument",
    as_pattern: (path, at) => (path.steps[at - 2]?.type === "case_pattern" ? assigned(path, at) : reference),
    type: (path, at) => (isTypeParameter(path, at) ? "unclear" : reference),
    type_alias_statement: "unclear",
  },
  scopes: {
    "function_definition lambda": "function",
    class_definition: "closed",
    "list_comprehension set_comprehension dictionary_comprehension generator_expression": "clause",
  },
  isSeenBy,
  spelling: /^[\p{ID_Start}_]\p{ID_Continue}*$/u,
  reserved:
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield __debug__",
  byName: /\b(?:eval|exec|globals|locals|vars|getattr|setattr|hasattr|delattr)\s*\(|\b__all__\b/,
});

/** Excludes defaults, annotations, bases and the first iterable, which are evaluated outside their scope. */
function isSeenBy(path: NodePath, index: number): boolean {
  const { type } = path.steps[index]!;
  const next = path.steps[index + 1];
  if (type === "function_definition" || type === "lambda" || type === "class_definition")
    return next?.field === "body";
  const isSource = next?.type === "for_in_clause" && path.steps[index + 2]?.field === "right";
  return !isSource || !isFirstClause(path, index);
}

function isFirstClause(path: NodePath, index: number): boolean {
  const before = path
    .textOf({ start: path.steps[index]!.start + 1, end: path.steps[index + 1]!.start })
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "")
    .replace(/[^()[\]{}]*/g, (words) => words.replace(/\bfor\b/g, "\0"));
  let depth = 0;
  for (const character of before) {
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    else if (character === "\0" && depth === 0) return false;
  }
  return true;
}

/** Defines a name. A name assigned in a class is a member, and a name of the file can be imported. */
function definedIn(scope: "nearest" | "outside", path: NodePath, at: number): Definition {
  const around = path.nearest(holders, at);
  const isMember = around?.type === "class_definition";
  return define({ in: scope, ...(isMember ? { isMember } : { isPublic: around === undefined }) });
}

const holders = ["function_definition", "lambda", "class_definition"];

function assigned(path: NodePath, at: number): Definition {
  return definedIn("nearest", path, at - 1);
}

function parameter(path: NodePath, at: number): Meaning {
  return define(path.nearest(holders, at)?.type === "lambda" ? {} : { isArgument: true });
}

function isInClass(path: NodePath, at: number): boolean {
  return path.nearest(holders, at)?.type === "class_definition";
}

function isTypeParameter(path: NodePath, at: number): boolean {
  return path.steps
    .slice(0, at)
    .some(({ type, field }) => `${type}.${field}` === "type_parameter.type_parameters");
}

/** Resolves one part of a dotted name, in imports and in `case` patterns. */
function dotted(path: NodePath, at: number): Meaning {
  const [holder, name] = [path.steps[at - 2]!, path.steps[at - 1]!];
  const isFirst = path.steps[at]!.start === name.start;
  const isOnly = isFirst && path.steps[at]!.end === name.end;
  if (/^(?:future_)?import_/.test(holder.type)) {
    if (name.field !== "name" || !isFirst) return "foreign";
    if (!isOnly) return "unclear";
    return { ...assigned(path, at - 1), around: { before: `${path.name} as `, after: "" } };
  }
  if (/^(?:case|keyword)_pattern$/.test(holder.type) && isOnly) return assigned(path, at - 1);
  if (!/^(?:(?:case|keyword|class)_pattern|decorator)$/.test(holder.type)) return "foreign";
  return isFirst ? reference : "member";
}
