import { joinClauses } from "../join-clauses.ts";
import type { SymbolRules } from "../symbol-rules.ts";

const functions = `"def" "defp" "defn" "defnp" "defguard" "defguardp" "defdelegate"`;
const macros = `"defmacro" "defmacrop"`;
const attributes = `"doc" "typedoc" "spec" "impl" "deprecated" "since" "tag" "dialyzer"`;
const directives = `"moduledoc" "moduletag" "describetag" "behaviour" "behavior" "compile" "before_compile" "after_compile"
  "after_verify" "on_definition" "on_load" "external_resource" "enforce_keys" "derive" "file" "vsn" "nifs"
  "optional_callbacks" "callback" "macrocallback" "type" "typep" "opaque" ${attributes}`;

export const elixir: SymbolRules = {
  query: `
    (call target: (identifier) @_word (#eq? @_word "defmodule") (arguments . (_) @name .)
      (do_block "do" @open "end" @close)) @module
    (call target: (identifier) @_word (#eq? @_word "defprotocol") (arguments . (_) @name .)
      (do_block "do" @open "end" @close)) @interface
    (call target: (identifier) @_word (#eq? @_word "defimpl")
      (arguments . (_) @name . (keywords (pair value: (_) @name))?) (do_block "do" @open "end" @close)) @impl
    (call target: (identifier) @_word (#any-of? @_word "defmodule" "defprotocol")
      (arguments . (_) @name .) (do_block . (unary_operator operand: (call target: (identifier) @_doc
        (#eq? @_doc "moduledoc") (arguments (string (quoted_content) @doc)))))) @module
    ${definitions(functions, "function")}
    ${definitions(macros, "macro")}
    (call target: (identifier) @_word (#eq? @_word "test") (arguments . (string (quoted_content) @name))
      (do_block "do" @open "end" @close)) @function
    (unary_operator operand: (call target: (identifier) @_word (#any-of? @_word "type" "typep" "opaque")
      (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @type
    (unary_operator operand: (call target: (identifier) @_word (#any-of? @_word "callback" "macrocallback")
      (arguments . (binary_operator left: [
        (call target: (identifier) @name (arguments) @parameters)
        (binary_operator left: (call target: (identifier) @name (arguments) @parameters))])))) @function
    (unary_operator "@" operand: (call target: (identifier) @name (#not-any-of? @name ${directives}) (arguments)))
      @constant
    (unary_operator "@" operand: (call target: (identifier) @_word (#any-of? @_word ${attributes})
      (arguments (string (quoted_content) @doc)?))) @attribute
    (comment) @comment
  `,
  name: (written) => written.replace(/, for: /, " for "),
  arrange: joinClauses,
};

/** Of functions and operators, with and without parameters and guards. */
function definitions(words: string, kind: string): string {
  const heads = [
    "(call target: (identifier) @name (arguments) @parameters)",
    "(identifier) @name",
    '(binary_operator operator: _ @name (#not-eq? @name "when")) @parameters',
    "(unary_operator operator: _ @name) @parameters",
  ];
  const guarded = heads.map((head) => `(binary_operator left: ${head} operator: "when")`);
  return [...heads, ...guarded]
    .map(
      (head) =>
        `(call target: (identifier) @_word (#any-of? @_word ${words}) (arguments . ${head})
          (do_block "do" @open "end" @close)?) @${kind}`,
    )
    .join("\n");
}
