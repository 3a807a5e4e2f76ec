import {
  define,
  foreign,
  kinds,
  type Meaning,
  member,
  refer,
  reference,
  type ScopeRules,
  type Way,
} from "../scope-rules.ts";

export const lua: ScopeRules = {
  names: { identifier: reference },
  places: {
    "variable_list.name": variable,
    "function_declaration.name": (way, at) =>
      way.steps[at - 1]!.field === "local_declaration"
        ? inBody(way, at - 2, define({ in: "nearest", renews: true, from: way.steps[at - 1]!.start }))
        : reference,
    "parameters.name": define(),
    "for_numeric_clause.name": define(),
    "dot_index_expression.field": member,
    "method_index_expression.method": member,
    "field.name": (way, at) => (way.text[way.steps[at - 1]!.start] === "[" ? reference : member),
    attribute: foreign,
    label_statement: define({ in: "function", kind: kinds.label }),
    goto_statement: refer({ kind: kinds.label }),
  },
  scopes: {
    block: "block",
    function_declaration: "function",
    function_definition: "function",
    for_statement: "block",
    repeat_statement: "block",
  },
  isSeenBy: ({ steps }, index) =>
    steps[index]!.type !== "for_statement" || steps[index + 1]?.field === "body",
  spelling: /^[A-Za-z_][A-Za-z0-9_]*$/,
  reserved:
    "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while",
  byName: /\bload(?:string)?\s*\(|\bgetfenv\s*\(|\b_G\b|\b_ENV\b|\bdebug\.\w+local\b/,
};

/** `local` begins a new variable, known behind its statement; else an assignment is to what is there. */
function variable(way: Way, at: number): Meaning {
  const holder = way.steps[at - 2]!;
  if (holder.type === "for_generic_clause") return define();
  const index = holder.type === "variable_declaration" ? at - 2 : at - 3;
  const declaration = way.steps[index];
  if (declaration?.type !== "variable_declaration") return reference;
  return inBody(way, index, define({ renews: true, from: declaration.end }));
}

/** What the body of `repeat` declares is seen by its condition as well. */
function inBody({ steps }: Way, at: number, definition: ReturnType<typeof define>): Meaning {
  const block = steps.slice(0, at + 1).findLastIndex(({ type }) => lua.scopes[type] !== undefined);
  const index = steps[block - 1]?.type === "repeat_statement" ? block - 1 : block;
  return { ...definition, at: Math.max(0, index) };
}
