import type { SymbolKind } from "../../../contract/code.ts";
import type { FoundSymbol, SymbolRules, SymbolRulesTable } from "../symbol-rules.ts";

/** A form that begins with one of these words, followed by a name. */
interface Forms {
  readonly kind: SymbolKind;
  readonly words: string;
}

function quoted(words: string): string {
  return words
    .split(" ")
    .map((word) => `"${word}"`)
    .join(" ");
}

/** Returns the kind, or undefined for a form in quoted data or in a comment, which is not a definition. */
function unlessQuoted({ kind }: FoundSymbol, parent: FoundSymbol | undefined): SymbolKind | undefined {
  return parent?.name === "" ? undefined : kind;
}

const clojureForms: readonly Forms[] = [
  { kind: "module", words: "ns" },
  { kind: "function", words: "defn defn- deftest defmulti defmethod" },
  { kind: "macro", words: "defmacro" },
  { kind: "interface", words: "defprotocol definterface" },
  { kind: "struct", words: "defrecord deftype" },
  { kind: "variable", words: "def defonce" },
];

const clojure: SymbolRules = {
  query: `
    ${clojureForms
      .map(({ kind, words }) => {
        const head = `(list_lit . value: (sym_lit name: (sym_name) @_word) (#any-of? @_word ${quoted(words)})
      . value: (sym_lit name: (sym_name) @name)`;
        return `
    ${head} . value: (str_lit) @doc . value: (vec_lit) . value: (_) @body) @${kind}
    ${head} . value: (vec_lit) . value: (_) @body) @${kind}
    ${head} . value: (str_lit) @doc @body) @${kind}
    ${head}) @${kind}`;
      })
      .join("")}
    (list_lit . value: (sym_lit name: (sym_name) @_word) (#any-of? @_word "defprotocol" "defrecord" "deftype")
      value: (list_lit . value: (sym_lit name: (sym_name) @name)) @method)
    [(quoting_lit) (syn_quoting_lit) (dis_expr)] @scope
  `,
  kind: unlessQuoted,
};

const schemeForms: readonly Forms[] = [
  { kind: "macro", words: "define-syntax define-syntax-rule define-macro defmacro define-simple-macro" },
  { kind: "struct", words: "define-record-type struct define-struct define-record" },
  {
    kind: "function",
    words:
      "define define* define-public define/public define/private define/override define/contract define-inlinable",
  },
];

const scheme: SymbolRules = {
  query: `
    ${schemeForms
      .map(
        ({ kind, words }) => `
    (list . (symbol) @_word (#any-of? @_word ${quoted(words)}) . [
      (list . (symbol) @name) (list . (list . (symbol) @name))] . (_)? @body) @${kind}`,
      )
      .join("")}
    ${schemeForms
      .filter(({ kind }) => kind !== "function")
      .map(
        ({ kind, words }) => `
    (list . (symbol) @_word (#any-of? @_word ${quoted(words)}) . (symbol) @name) @${kind}`,
      )
      .join("")}
    (list . (symbol) @_word (#any-of? @_word "define" "define-public") . (symbol) @name
      . (list . (symbol) @_lambda (#any-of? @_lambda "lambda" "case-lambda" "λ"))) @function
    (list . (symbol) @_word (#any-of? @_word "define" "define-public" "define-parameter") . (symbol) @name) @variable
    (list . (symbol) @_word (#any-of? @_word "module" "module+" "module*") . (symbol) @name) @module
    (list . (symbol) @_word (#any-of? @_word "define-module" "define-library" "library") . (list) @name) @module
    [(quote) (quasiquote)] @scope
    (comment) @comment
  `,
  kind: unlessQuoted,
};

const racket: SymbolRules = { ...scheme, query: `${scheme.query} (sexp_comment) @scope` };

const commonLispForms: readonly Forms[] = [
  { kind: "module", words: "defpackage" },
  { kind: "class", words: "defclass define-condition" },
  { kind: "struct", words: "defstruct" },
  { kind: "type", words: "deftype" },
  { kind: "constant", words: "defconstant" },
  { kind: "variable", words: "defvar defparameter" },
];

const commonLisp: SymbolRules = {
  query: `
    (list_lit (defun (defun_header keyword: (defun_keyword "defmacro") function_name: (_) @name)
      . value: (str_lit)? @doc . value: (_)? @body)) @macro
    (list_lit (defun (defun_header keyword: (defun_keyword ["defmethod" "defgeneric"]) function_name: (_) @name)
      . value: (str_lit)? @doc . value: (_)? @body)) @method
    (list_lit (defun (defun_header function_name: (_) @name) . value: (str_lit)? @doc . value: (_)? @body)) @function
    ${commonLispForms
      .map(
        ({ kind, words }) => `
    (list_lit . value: (sym_lit) @_word (#any-of? @_word ${quoted(words)})
      . value: [(sym_lit) @name (kwd_lit (kwd_symbol) @name) (list_lit . value: (sym_lit) @name)]) @${kind}`,
      )
      .join("")}
    [(quoting_lit) (syn_quoting_lit)] @scope
  `,
  kind: unlessQuoted,
};

const emacsLisp: SymbolRules = {
  query: `
    (function_definition name: (_) @name docstring: (_) @doc @body) @function
    (function_definition name: (_) @name parameters: (_) . (_)? @body) @function
    (macro_definition name: (_) @name docstring: (_) @doc @body) @macro
    (macro_definition name: (_) @name parameters: (_) . (_)? @body) @macro
    (special_form "defconst" . (symbol) @name) @constant
    (special_form "defvar" . (symbol) @name) @variable
    (list . (symbol) @_word (#any-of? @_word "cl-defun" "cl-defmethod" "cl-defgeneric" "define-minor-mode"
      "define-derived-mode" "define-globalized-minor-mode" "defadvice" "ert-deftest") . (symbol) @name) @function
    (list . (symbol) @_word (#any-of? @_word "cl-defmacro") . (symbol) @name) @macro
    (list . (symbol) @_word (#any-of? @_word "cl-defstruct" "defclass")
      . [(symbol) @name (list . (symbol) @name)]) @struct
    (list . (symbol) @_word (#any-of? @_word "defcustom" "defface" "defgroup" "defvar-local") . (symbol) @name) @variable
    (list . (symbol) @_word (#eq? @_word "defalias") . (quote (symbol) @name)) @function
  `,
  unrelatedComment: /^;;;###autoload/,
};

export const lispRules: SymbolRulesTable = {
  clojure,
  "common-lisp": commonLisp,
  "emacs-lisp": emacsLisp,
  racket,
  scheme,
};
