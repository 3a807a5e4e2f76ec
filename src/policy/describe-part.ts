import { printableLine } from "../lib/printable.ts";
import type { Part } from "./policy.ts";

/** What a part would do, to go on after "it would". */
export function describePart(part: Part): string {
  switch (part.kind) {
    case "use":
      return part.server === undefined
        ? "run a tool"
        : `use ${printableLine(part.tool)} of the MCP server ${part.server}`;
    case "run":
    case "unclear":
      return `run \`${part.in.command.slice(part.in.span.start, part.in.span.end)}\``;
    case "connect":
      return `connect to ${part.host ?? part.spelling}`;
    default:
      return `${part.kind} ${part.path}`;
  }
}
