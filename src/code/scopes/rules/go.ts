import { escapeRegex } from "../../../lib/text/escape-regex.ts";
import {
  define,
  each,
  foreign,
  kinds,
  type Meaning,
  member,
  memberDefinition,
  type NodePath,
  refer,
  reference,
  type ScopeRules,
  scopesOf,
  textOf,
  unclear,
} from "../scope-rules.ts";

/** Types and values share their names. */
export const go: ScopeRules = {
  names: {
    identifier: reference,
    type_identifier: reference,
    package_identifier: reference,
    field_identifier: member,
    label_name: refer({ kind: kinds.label }),
  },
  positions: {
    expression_list: "up",
    "short_var_declaration.left": assigned,
    "range_clause.left": ifNew,
    "receive_statement.left": ifNew,
    "type_switch_statement.alias": (way, at) => {
      const { end } = way.steps[at]!;
      return define({ from: Math.max(end, way.text.indexOf(".(type)", end)) });
    },
    "var_spec.name": declared,
    "const_spec.name": declared,
    "type_spec.name": named,
    "type_alias.name": named,
    "function_declaration.name": define({ in: "file", isPublic: true }),
    ...each("method_declaration.name method_elem.name field_declaration.name", memberDefinition),
    "field_declaration.type": embedded,
    ...each(
      "parameter_declaration.name variadic_parameter_declaration.name type_parameter_declaration.name",
      define(),
    ),
    type_elem: ({ steps }) => (steps.some(({ field }) => field === "receiver") ? define() : reference),
    "import_spec.name": define({ in: "file" }),
    package_clause: foreign,
    "labeled_statement.label": define({ in: "function", kind: kinds.label }),
    literal_element: "up",
    "keyed_element.key": key,
  },
  scopes: scopesOf({
    block:
      "block type_spec type_alias if_statement for_statement expression_switch_statement " +
      "type_switch_statement expression_case type_case default_case communication_case",
    function: "function_declaration method_declaration func_literal function_type method_elem",
  }),
  spelling: /^[\p{L}_][\p{L}\p{Nd}_]*$/u,
  reserved:
    "_ break case chan const continue default defer else fallthrough for func go goto if import interface map package range " +
    "return select struct switch type var init",
};

/** `:=` also reuses an existing name, including parameters, which belong to the body. */
function assigned(way: NodePath, at: number): Meaning {
  return inBody(way, at - 1, define({ from: way.steps[at - 1]!.end }));
}

function ifNew(way: NodePath, at: number): Meaning {
  const statement = way.steps[at - 1]!;
  const isNew = /^\s*:=/.test(way.text.slice(way.steps[at]!.end, statement.end));
  return isNew ? define({ from: statement.end }) : reference;
}

function declared(way: NodePath, at: number): Meaning {
  if (isOfPackage(way, at)) return define({ in: "file", isPublic: true });
  return inBody(way, at - 1, define({ from: way.steps[at - 1]!.end }));
}

/** A type is visible in its own definition. */
function named(way: NodePath, at: number): Meaning {
  if (isOfPackage(way, at)) return define({ in: "file", isPublic: true });
  return inBody(way, at - 2, define({ from: way.steps[at - 1]!.start, at: at - 2 }));
}

function isOfPackage({ steps }: NodePath, at: number): boolean {
  return !steps.slice(0, at).some(({ type }) => type === "block");
}

function inBody({ steps }: NodePath, at: number, definition: ReturnType<typeof define>): Meaning {
  const index = steps.findLastIndex(({ type }, place) => place <= at && go.scopes[type] !== undefined);
  const isBody = steps[index]?.type === "block" && go.scopes[steps[index - 1]!.type] === "function";
  return isBody ? { ...definition, at: index - 1 } : definition;
}

function embedded(way: NodePath, at: number): Meaning | "up" {
  const field = textOf(way, way.steps[at - 1]!).replace(/`[^`]*`\s*$|"[^"]*"\s*$/, "");
  return field.replace(/^\*?\s*/, "").trim() === textOf(way, way.steps[at]!).replace(/^\*?\s*/, "")
    ? unclear
    : "up";
}

/** The name of a field or the key of a map, depending on the type of the literal. */
function key(way: NodePath, at: number): Meaning {
  const literal = way.steps.findLastIndex(({ type }) => type === "composite_literal");
  const values = way.steps.slice(literal, at).filter(({ type }) => type === "literal_value").length;
  const text = textOf(way, way.steps[literal] ?? way.steps[at]!);
  const [type = ""] = /^[^{]*/.exec(text) ?? [];
  const isListed = /^(?:map)?\[/.test(type);
  if (isListed && values === 1) return reference;
  const element = type.replace(/^(?:map)?\[[^\]]*\]\*?/, "");
  if (isListed && (values > 2 || !/^[\w.]+\s*$/.test(element))) return unclear;
  const name = (isListed ? element : type).trim().replace(/\[.*$/, "");
  if (name === "struct") return member;
  // A type of another file may be a map, whose keys are values.
  const isStruct = new RegExp(`(?<!\\w)${escapeRegex(name)}\\s*(?:\\[[^\\]]*\\])?\\s+struct\\b`).test(
    way.text,
  );
  return isStruct ? member : unclear;
}
