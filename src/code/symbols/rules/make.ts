import type { SymbolRules } from "../symbol-rules.ts";

export const make: SymbolRules = {
  query: `
    (rule (targets) @name (recipe)? @inside) @rule
    (define_directive name: (_) @name) @macro
    (variable_assignment name: (_) @name) @variable
    [(override_directive (variable_assignment) @inner) (export_directive (variable_assignment) @inner)] @outer
    (comment) @comment
  `,
  kind: ({ kind, name }) => (kind === "rule" && /^\.[A-Z]/.test(name) ? undefined : kind),
};
