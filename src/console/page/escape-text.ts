import { Fragment, options, type VNode } from "preact";
import { printable } from "../../lib/text/printable.ts";

/**
 * Makes invisible, bidirectional and control characters visible in every text that the page shows, in one place: texts of
 * files, models and commands reach the document only as children or labels of elements.
 */
export function escapeAllText(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === "string" || vnode.type === Fragment) escapeIn(vnode);
    before?.(vnode);
  };
}

function escapeIn(vnode: VNode): void {
  const props = vnode.props as Record<string, unknown>;
  for (const name of ["children", "title", "aria-label", "placeholder"])
    if (props[name] !== undefined) props[name] = escaped(props[name]);
}

function escaped(child: unknown): unknown {
  if (typeof child === "string") return printable(child);
  return Array.isArray(child) ? child.map(escaped) : child;
}
