import type { Tree } from "web-tree-sitter";
import type { SyntaxFault } from "../../contract/code.ts";

export function faultsOf(_tree: Tree, _text: string, _lineStarts: Uint32Array): SyntaxFault[] {
  return [];
}
