import {
  argument,
  type Decide,
  define,
  each,
  foreign,
  type Meaning,
  member,
  type NodePath,
  nameOf,
  nearestOf,
  refer,
  reference,
  type ScopeRules,
  scopesOf,
  textOf,
  unclear,
} from "../scope-rules.ts";

export const python: ScopeRules = {
  names: { identifier: reference },
  positions: {
    ...each(
      "tuple list parenthesized_expression pattern_list tuple_pattern list_pattern list_splat " +
        "list_splat_pattern dictionary_splat_pattern as_pattern_target",
      "up",
    ),
    ...each(
      "as_pattern.alias assignment.left augmented_assignment.left for_statement.left " +
        "aliased_import.alias splat_pattern",
      assigned,
    ),
    "for_in_clause.left": define(),
    "named_expression.name": (way, at) => (isInClass(way, at) ? unclear : define({ in: "function" })),
    "function_definition.name": defined,
    "class_definition.name": defined,
    parameters: parameter(),
    lambda_parameters: parameter(),
    "default_parameter.name": parameter(),
    "typed_default_parameter.name": parameter(),
    "typed_parameter.type": reference,
    typed_parameter: parameter(),
    "keyword_argument.name": argument,
    "attribute.attribute": member,
    global_statement: refer({ declares: "file" }),
    nonlocal_statement: refer({ declares: "outer" }),
    dotted_name: dotted,
    keyword_pattern: argument,
    as_pattern: (way, at) => (way.steps[at - 2]?.type === "case_pattern" ? assigned(way, at) : reference),
    type: (way, at) => (isTypeParameter(way, at) ? unclear : reference),
    type_alias_statement: unclear,
  },
  scopes: scopesOf({
    function: "function_definition lambda",
    closed: "class_definition",
    clause: "list_comprehension set_comprehension dictionary_comprehension generator_expression",
  }),
  isSeenBy,
  spelling: /^[\p{ID_Start}_]\p{ID_Continue}*$/u,
  reserved:
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield __debug__",
  byName: /\b(?:eval|exec|globals|locals|vars|getattr|setattr|hasattr|delattr)\s*\(|\b__all__\b/,
};

/** Defaults, annotations, bases and the first iterable are evaluated outside of the scope they belong to. */
function isSeenBy(way: NodePath, index: number): boolean {
  const { type } = way.steps[index]!;
  const next = way.steps[index + 1];
  if (type === "function_definition" || type === "lambda" || type === "class_definition")
    return next?.field === "body";
  const isSource = next?.type === "for_in_clause" && way.steps[index + 2]?.field === "right";
  return !isSource || !isFirstClause(way, index);
}

function isFirstClause(way: NodePath, index: number): boolean {
  const before = textOf(way, { start: way.steps[index]!.start + 1, end: way.steps[index + 1]!.start })
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

/** A name assigned in a class is a member; one of the file can be imported. */
function placed(way: NodePath, at: number, more: Parameters<typeof define>[0]): Meaning {
  const around = nearestOf(way, at, holders);
  if (around?.type === "class_definition") return define({ ...more, isMember: true });
  return define({ ...more, isPublic: around === undefined });
}

const holders = ["function_definition", "lambda", "class_definition"];

function assigned(way: NodePath, at: number): Meaning {
  return placed(way, at - 1, { in: "nearest" });
}

function defined(way: NodePath, at: number): Meaning {
  return placed(way, at - 2, { in: "outside" });
}

function parameter(): Decide {
  return (way, at) => {
    const holder = nearestOf(way, at, holders);
    return holder?.type === "lambda" ? define() : define({ isArgument: true });
  };
}

function isInClass(way: NodePath, at: number): boolean {
  return nearestOf(way, at, holders)?.type === "class_definition";
}

function isTypeParameter({ steps }: NodePath, at: number): boolean {
  return steps
    .slice(0, at)
    .some(({ type, field }) => type === "type_parameter" && field === "type_parameters");
}

/** A dotted name, of which one part is meant: in imports, and in what `case` compares with. */
function dotted(way: NodePath, at: number): Meaning {
  const [holder, name] = [way.steps[at - 2]!, way.steps[at - 1]!];
  const isFirst = way.steps[at]!.start === name.start;
  const isOnly = isFirst && way.steps[at]!.end === name.end;
  switch (holder.type) {
    case "import_statement":
    case "import_from_statement":
    case "future_import_statement":
      if (name.field !== "name" || !isFirst) return foreign;
      if (!isOnly) return unclear;
      return withAlias(way, assigned(way, at - 1));
    case "case_pattern":
    case "keyword_pattern":
      if (isOnly) return assigned(way, at - 1);
      return isFirst ? reference : member;
    case "class_pattern":
    case "decorator":
      return isFirst ? reference : member;
    default:
      return foreign;
  }
}

function withAlias(way: NodePath, meaning: Meaning): Meaning {
  if (meaning.is !== "definition") return meaning;
  return { ...meaning, around: { before: `${nameOf(way)} as `, after: "" } };
}
