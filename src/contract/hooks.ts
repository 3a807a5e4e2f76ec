/** The events that run hooks, by their names in Claude Code. */
export const hookEvents = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"] as const;
export type HookEvent = (typeof hookEvents)[number];

/**
 * A command that runs at an event. It gets JSON on standard input, as in Claude Code. Exit code 2, or a JSON answer on
 * standard output, blocks the call. A hook can tighten rules, never widen them.
 */
export interface CommandHook {
  readonly event: HookEvent;
  /** For `/bin/sh`. */
  readonly command: string;
  /** A regular expression for whole tool names: `Bash`, `Edit|Write`, `file\..*`. Default: every tool. */
  readonly matcher?: string | undefined;
  /** Default: 60 s. A hook that runs longer is ended. */
  readonly timeoutMs?: number | undefined;
  /** A hook of a project runs in the sandbox of commands, and cannot answer for the user. */
  readonly from: "user" | "project";
  /** For messages: `config.toml:12`. */
  readonly source: string;
  /** SHA-256 hashes of workspace files by path. The hook runs only while they have this content. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** The joint answer of all hooks of an event. */
export interface HookAnswer {
  /** Why the call, message or end is blocked, for the model. */
  readonly block?: string | undefined;
  /** `allow` answers a question of the policy for the user. `ask` wins over `allow`. */
  readonly permission?: "allow" | "ask" | undefined;
  readonly reason?: string | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** The hook that decided. */
  readonly source?: string | undefined;
}
