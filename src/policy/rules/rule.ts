import type { RulePlace } from "../policy.ts";
import type { RuleWord } from "./read-words.ts";

/** One rule of a file, read but not yet bound to a workspace. */
export interface ParsedRule {
  readonly effect: Effect;
  readonly about: About;
  /** Only calls of these tools are meant. */
  readonly by: ToolPattern | undefined;
  /** The person's own words why. */
  readonly because: string | undefined;
  readonly place: RulePlace;
}

/**
 * `secret`, `protected` and `open` sort paths into classes that hold in every mode. `unconfined`: the command runs outside
 * the sandbox, if it may run.
 */
export type Effect = "allow" | "ask" | "deny" | "secret" | "protected" | "open" | "unconfined";

export type PathUse = "read" | "write" | "delete";

export type About =
  | { readonly kind: "run"; readonly words: readonly RuleWord[] }
  | { readonly kind: "path"; readonly uses: readonly PathUse[]; readonly glob: RuleWord }
  | { readonly kind: "connect"; readonly host: RuleWord }
  | { readonly kind: "use"; readonly tool: ToolPattern };

export interface ToolPattern {
  readonly name: RuleWord;
  /** The MCP server that it comes from. */
  readonly server: RuleWord | undefined;
}
