import type { Node } from "web-tree-sitter";
import { joinClauses } from "../join-clauses.ts";
import type { SymbolRules } from "../symbol-rules.ts";

const functions = `"def" "defp" "defn" "defnp" "defguard" "defguardp" "defdelegate"`;
const macros = `"defmacro" "defmacrop"`;
const attributes = `"doc" "typedoc" "spec" "impl" "deprecated" "since" "tag" "dialyzer"`;
const directives = `"moduledoc" "moduletag" "describetag" "behaviour" "behavior" "compile" "before_compile" "after_compile"
  "after_verify" "on_definition" "on_load" "external_resource" "enforce_keys" "derive" "file" "vsn" "nifs"
  "optional_callbacks" "callback" "macrocallback" "type" "typep" "opaque" ${attributes}`;

/** All is a call. What is defined is its first argument; where its name stands in that, `nameNode` tells. */
export const elixir: SymbolRules = {
  query: `
    (call target: (identifier) @_word (#eq? @_word "defimpl")
      (arguments . (_) @name . (keywords (pair value: (_) @name)))) @impl
    (call target: (identifier) @_word (#eq? @_word "defimpl") (arguments . (_) @name .)) @impl
    (call target: (identifier) @_word (#eq? @_word "defmodule") (arguments . (_) @name)) @module
    (call target: (identifier) @_word (#eq? @_word "defprotocol") (arguments . (_) @name)) @interface
    (call target: (identifier) @_word (#eq? @_word "test") (arguments . (string) @name)) @function
    (call target: (identifier) @_word (#any-of? @_word ${macros}) (arguments . (_) @name)) @macro
    (call target: (identifier) @_word (#any-of? @_word ${functions}) (arguments . (_) @name)) @function
    (call target: (identifier) @_word (#any-of? @_word ${functions} ${macros}) (arguments . [
      (call (arguments) @parameters)
      (binary_operator left: (call (arguments) @parameters) operator: "when")] @name)) @function
    (call target: (identifier) @_word
      (#any-of? @_word ${functions} ${macros} "defmodule" "defprotocol" "defimpl" "test")
      (arguments . (_) @name) (do_block "do" @open "end" @close)) @function
    (call (arguments . (_) @name) (do_block . (unary_operator operand: (call target: (identifier) @_doc
      (#eq? @_doc "moduledoc") (arguments (string (quoted_content) @doc)))))) @module
    (unary_operator operand: (call target: (identifier) @_word (#any-of? @_word "type" "typep" "opaque")
      (arguments . (binary_operator left: (_) @name)))) @type
    (unary_operator operand: (call target: (identifier) @_word (#any-of? @_word "callback" "macrocallback")
      (arguments . (binary_operator left: (_) @name)))) @function
    (unary_operator "@" operand: (call target: (identifier) @name (#not-any-of? @name ${directives}) (arguments)))
      @constant
    (unary_operator "@" operand: (call target: (identifier) @_word (#any-of? @_word ${attributes})
      (arguments (string (quoted_content) @doc)?))) @attribute
    (comment) @comment
  `,
  nameNode,
  name: (written) => written.replace(/, for: /, " for ").replace(/^"(.*)"$/, "$1"),
  kind: ({ kind, name }) => (/^(unquote\(|%?\{|__MODULE__$)/.test(name) ? undefined : kind),
  arrange: joinClauses,
};

/** `run` in `run(a, b) when a > b`, `+` in `a + b`, `t` in `t(a) :: list(a)`. */
function nameNode(captured: Node): Node {
  let node = captured;
  for (;;) {
    const operator = node.childForFieldName("operator");
    if (operator && operator.type !== "when" && operator.type !== "::") return operator;
    const inner = operator ? node.childForFieldName("left") : node.childForFieldName("target");
    if (!inner) return node;
    // A name that is made up by a macro: all of the call is its name.
    if (inner.type === "call" && !operator) return inner;
    node = inner;
  }
}
