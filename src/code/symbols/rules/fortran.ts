import type { SymbolRules } from "../symbol-rules.ts";

export const fortran: SymbolRules = {
  query: `
    (module (module_statement (name) @name) @open (end_module_statement) @close) @module
    (submodule (submodule_statement (name) @name) @open (end_submodule_statement) @close) @module
    (program (program_statement (name) @name) @open (end_program_statement) @close) @module
    (subroutine (subroutine_statement name: (name) @name) @open (end_subroutine_statement) @close) @function
    (function (function_statement name: (name) @name) @open (end_function_statement) @close) @function
    (derived_type_definition (derived_type_statement (type_name) @name) @open (end_type_statement) @close) @struct
    (interface (interface_statement (name) @name) @open (end_interface_statement) @close) @interface
    (derived_type_procedures (procedure_statement declarator: [
      (binding (binding_name (_) @name)) (method_name) @name]) @method)
    (derived_type_definition (variable_declaration declarator: [(identifier) @name @field
      (init_declarator left: (identifier) @name) @field (sized_declarator . (identifier) @name) @field]))
    (module (variable_declaration declarator: [(identifier) @name @variable
      (init_declarator left: (identifier) @name) @variable (sized_declarator . (identifier) @name) @variable]))
    (variable_declaration declarator: (_) @inner) @outer
    (comment) @comment
  `,
};
