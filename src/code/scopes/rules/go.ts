import { escapeRegex } from "../../../lib/text/escape-regex.ts";
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

/** In Go, types and values share one namespace. */
export const go: ScopeRules = scopeRules({
  names: {
    "identifier type_identifier package_identifier": reference,
    field_identifier: "member",
    label_name: refer({ kind: kinds.label }),
  },
  positions: {
    expression_list: "up",
    "short_var_declaration.left": assigned,
    "range_clause.left receive_statement.left": (path, at) =>
      /^\s*:=/.test(path.textAfter(at)) ? define({ from: path.steps[at - 1]!.end }) : reference,
    "type_switch_statement.alias": (path, at) => {
      const { end } = path.steps[at]!;
      return define({ from: Math.max(end, path.text.indexOf(".(type)", end)) });
    },
    "var_spec.name const_spec.name": (path, at) =>
      isOfPackage(path, at) ? define({ in: "file", isPublic: true }) : assigned(path, at),
    "type_spec.name type_alias.name": named,
    "function_declaration.name": define({ in: "file", isPublic: true }),
    "method_declaration.name method_elem.name field_declaration.name": "member definition",
    "field_declaration.type": embedded,
    "parameter_declaration.name variadic_parameter_declaration.name": define(),
    "type_parameter_declaration.name": define(),
    type_elem: ({ steps }) => (steps.some(({ field }) => field === "receiver") ? define() : reference),
    "import_spec.name": define({ in: "file" }),
    package_clause: "foreign",
    "labeled_statement.label": define({ in: "function", kind: kinds.label }),
    literal_element: "up",
    "keyed_element.key": key,
  },
  scopes: {
    "block type_spec type_alias if_statement for_statement expression_switch_statement": "block",
    "type_switch_statement expression_case type_case default_case communication_case": "block",
    "function_declaration method_declaration func_literal function_type method_elem": "function",
  },
  spelling: /^[\p{L}_][\p{L}\p{Nd}_]*$/u,
  reserved:
    "_ break case chan const continue default defer else fallthrough for func go goto if import interface map package range " +
    "return select struct switch type var init",
});

/** Defines a name in the scope of its body. `:=` also reuses an existing name, including parameters. */
function assigned(path: NodePath, at: number): Meaning {
  return inBody(path, at - 1, { from: path.steps[at - 1]!.end });
}

/** Defines a type, which is visible in its own definition. */
function named(path: NodePath, at: number): Meaning {
  if (isOfPackage(path, at)) return define({ in: "file", isPublic: true });
  return inBody(path, at - 2, { from: path.steps[at - 1]!.start, at: at - 2 });
}

function isOfPackage(path: NodePath, at: number): boolean {
  return path.nearest(["block"], at - 1) === undefined;
}

function inBody({ steps }: NodePath, at: number, more: Parameters<typeof define>[0]): Meaning {
  const scope = steps.slice(0, at + 1).findLastIndex(({ type }) => go.scopes[type] !== undefined);
  const isBody = steps[scope]?.type === "block" && go.scopes[steps[scope - 1]!.type] === "function";
  return define(isBody ? { ...more, at: scope - 1 } : more);
}

function embedded(path: NodePath, at: number): Meaning | "up" {
  const field = path.textOf(path.steps[at - 1]!).replace(/`[^`]*`\s*$|"[^"]*"\s*$/, "");
  const bare = (text: string) => text.replace(/^\*?\s*/, "").trim();
  return bare(field) === bare(path.textOf(path.steps[at]!)) ? "unclear" : "up";
}

/** Resolves a key: the name of a field or the key of a map, depending on the type of the literal. */
function key(path: NodePath, at: number): Meaning {
  const literal = path.steps.findLastIndex(({ type }) => type === "composite_literal");
  const values = path.steps.slice(literal, at).filter(({ type }) => type === "literal_value").length;
  const text = path.textOf(path.steps[literal] ?? path.steps[at]!);
  const [type = ""] = /^[^{]*/.exec(text) ?? [];
  const isListed = /^(?:map)?\[/.test(type);
  if (isListed && values === 1) return reference;
  const element = type.replace(/^(?:map)?\[[^\]]*\]\*?/, "");
  if (isListed && (values > 2 || !/^[\w.]+\s*$/.test(element))) return "unclear";
  const name = (isListed ? element : type).trim().replace(/\[.*$/, "");
  if (name === "struct") return "member";
  // A type declared in another file may be a map, whose keys are values.
  const isStruct = new RegExp(`(?<!\\w)${escapeRegex(name)}\\s*(?:\\[[^\\]]*\\])?\\s+struct\\b`).test(
    path.text,
  );
  return isStruct ? "member" : "unclear";
}
