/** The WebAssembly of a grammar: as its package has it beside source, compressed in a build. */
export function grammarSource(name: string, module: string = import.meta.url): URL {
  return isSource(module)
    ? new URL(`../../../node_modules/tree-sitter-wasm/out/${name}/tree-sitter-${name}.wasm`, module)
    : new URL(`../grammars/${name}.wasm.zst`, module);
}

/** What runs the grammars. */
export function parserSource(module: string = import.meta.url): URL {
  return isSource(module)
    ? new URL("../../../node_modules/web-tree-sitter/web-tree-sitter.wasm", module)
    : new URL("../grammars/web-tree-sitter.wasm.zst", module);
}

function isSource(module: string): boolean {
  return module.endsWith(".ts");
}
