import type { Agents } from "../contract/agents.ts";
import type { Backend } from "../contract/backend.ts";
import type { SandboxLevel } from "../contract/call.ts";
import type { Embedder } from "../contract/embeddings.ts";
import type { Environment } from "../contract/environment.ts";
import type { ExtraRoots } from "../contract/guard.ts";
import type { CommandHook } from "../contract/hooks.ts";
import type { LanguageServerSetting } from "../contract/language-server.ts";
import type { SearchSettings, ToolSource } from "../contract/tool.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Approve } from "../engine/approvals/approval-request.ts";
import type { ConnectOptions } from "../environment/remote/connect-target.ts";
import type { JournalBudget } from "../journal/collect/collector.ts";
import type { ClientInfo } from "../journal/journal.ts";
import type { PolicyMode } from "../policy/policy.ts";
import type { CallHooks } from "./call-hooks.ts";
import type { DialectName } from "./caller.ts";
import type { OwnTool } from "./define-tool.ts";

/** The options of `openToolcrib`. Every default is the most careful choice. */
export interface ToolcribOptions {
  /** The workspace: the folder that tools work in and cannot leave. Default: the current folder. */
  readonly workspace?: string | undefined;
  /** The names and argument shapes of the tools. Default: `toolcrib`. */
  readonly dialect?: DialectName | (string & {}) | Dialect | undefined;
  /**
   * Which calls run without approval. Default: `cautious`: reads, changes that undo covers, and sandboxed commands that
   * only read run; everything else asks.
   */
  readonly mode?: PolicyMode | undefined;
  /** Asks the user. Without it, calls that need approval are refused. */
  readonly approve?: Approve | undefined;
  /**
   * Stores approval requests when there is no `approve`: the call is refused with the id of the pending approval, the
   * user answers it with `toolcrib approve`, and the answer counts when the same call is made again.
   */
  readonly pendingApprovals?: boolean | undefined;
  /** The time in milliseconds that such a call waits for the answer before it is refused. Default: 0. */
  readonly approvalWaitMs?: number | undefined;
  /** Rules that take precedence over all rule files, one each: `deny run git push **`. */
  readonly rules?: readonly string[] | undefined;
  /** Files with rules of the same precedence. */
  readonly ruleFiles?: readonly string[] | undefined;
  /** Commands that run before and after calls, with Claude Code's JSON contract. They can tighten rules, never widen them. */
  readonly commandHooks?: readonly CommandHook[] | undefined;
  /** Functions of your program that run before and after calls. In a session they are hooks of the session. */
  readonly hooks?: CallHooks | undefined;
  /** Your own tools, made with `defineTool`. A tool with the name of a dialect's tool replaces it. */
  readonly tools?: readonly OwnTool[] | undefined;
  /** Tools of other servers, which may change while the Toolcrib is open. They are closed with it. */
  readonly sources?: readonly ToolSource[] | undefined;
  /**
   * The only tools that are listed and can be called: by dialect name, canonical name, pattern (`file.*`), a set of the
   * dialect, or `all`. Default: all can be called, and the dialect's default set is listed.
   */
  readonly onlyTools?: readonly string[] | undefined;
  /** Offers only tools that change nothing. */
  readonly readOnly?: boolean | undefined;
  /**
   * Resumes an earlier session of this workspace, whose calls can then be undone. Default: a new session. Throws
   * `unavailable` while a running process has it open.
   */
  readonly session?: string | undefined;
  /** The program that uses this Toolcrib, for the log. Default: `{ kind: "library" }`. */
  readonly client?: ClientInfo | undefined;
  /** Other agents for the caller. Without them there are no `agent.*` tools. */
  readonly agents?: Agents | undefined;
  /** Folders outside the workspace where tools can use files by name. Default: those of the dialect; most have none. */
  readonly extraRoots?: ExtraRoots | undefined;
  /**
   * Absolute paths of your program's own data on this machine, which no tool reads or writes, whatever the rules say. A
   * workspace inside one of them is exempt. Default: none.
   */
  readonly hiddenPaths?: readonly string[] | undefined;
  /** The directory of the journal and stored outputs. Default: below the XDG state directory. */
  readonly stateDirectory?: string | undefined;
  /** The limits of the stored history. Default: TOOLCRIB_JOURNAL_MAX_BYTES and TOOLCRIB_JOURNAL_MAX_DAYS. */
  readonly journal?: Partial<JournalBudget> | undefined;
  /** The directory of the user's rules and remembered approvals. Default: below the XDG config directory. */
  readonly configDirectory?: string | undefined;
  /**
   * A workspace on another machine or in a container: `ssh:host:/dir`, `docker:NAME`, `podman:NAME`,
   * `kubernetes:[namespace/]POD[/container]`, `devcontainer:DIR` or `command:…`, nested with `+`. Rules, journal and
   * approvals stay on this machine; files, commands and the sandbox are those of the target.
   */
  readonly target?: string | TargetOptions | undefined;
  /**
   * A workspace elsewhere, such as a container or a service, in a few methods. No file of this machine is then read or
   * written, and no command is started here. Toolcrib does not confine its commands, so a backend with `exec` also needs
   * `sandbox: "none"`.
   */
  readonly backend?: Backend | undefined;
  /** The same with a whole environment, such as a `MemoryEnvironment`. Default: this machine. */
  readonly environment?: Environment | undefined;
  /**
   * Wraps the environment of this machine, to watch or change how tools use files and programs. Sandbox, rules and
   * stored outputs stay. Called twice: undo has its own environment. Return `overrideEnvironment(local, { … })`.
   */
  readonly wrapEnvironment?: ((local: Environment) => Environment) | undefined;
  /** The sandbox of commands. Default: TOOLCRIB_SANDBOX, else "auto". Commands fail when a named level is missing. */
  readonly sandbox?: SandboxSetting | undefined;
  /**
   * Ports of servers in the sandbox that programs of this machine can reach at 127.0.0.1, such as a browser. Default: none. A
   * sandbox without a network of its own needs none.
   */
  readonly expose?: readonly number[] | undefined;
  /** The most tokens of one result that a model is shown, by a cautious estimate. The whole output is stored. */
  readonly maxShownTokens?: number | undefined;
  /** The engine of web.search. Default: TOOLCRIB_SEARCH, else none. */
  readonly search?: SearchSettings | undefined;
  /** Your own language servers, by language. Those of TypeScript and Python are found without it. */
  readonly languageServers?: Readonly<Record<string, LanguageServerSetting>> | undefined;
  /**
   * Makes vectors of code, so that code.search also finds code by meaning. Code is sent to it, without secrets and
   * without files that rules hide. Default: none, and code.search finds code by words and names.
   */
  readonly embedder?: Embedder | undefined;
  /** Which calls `journal.undo` may undo. Default: `session`. Use `workspace` only when acting for the user. */
  readonly undoScope?: "session" | "workspace" | undefined;
  /** Leaves an open transaction to the next Toolcrib with this option. Default: `close` rolls it back. */
  readonly parkTransaction?: boolean | undefined;
}

/** How to reach a target. */
export interface TargetOptions
  extends Pick<ConnectOptions, "uploadNode" | "mayAsk" | "onProgress" | "folder"> {
  /** Such as `ssh:host:/dir`. */
  readonly name: string;
}

/** A sandbox level, or "auto" for the best that is available. */
export type SandboxSetting = "auto" | SandboxLevel;

export const sandboxSettings: readonly SandboxSetting[] = ["auto", "bwrap", "landlock", "seatbelt", "none"];
