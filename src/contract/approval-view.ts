import type { ToolRisk } from "./access.ts";

/**
 * A question about a call, from which every program makes what it shows: terminals, editors, MCP clients, the console and
 * SDKs. Secrets are redacted. Characters that control a terminal or hide text are escaped as `\u{200b}`.
 */
export interface ApprovalView {
  /** The tool, where it works, and the subagent that asks: `shell.run on ssh:host, for agent_1`. One line. */
  readonly title: string;
  /** The MCP client or editor that asks; undefined for Toolcrib's own programs, where the user sees it. */
  readonly asker?: string | undefined;
  readonly risk: ToolRisk;
  /** The expected effects, and the reasons why the call needs approval. */
  readonly body: readonly ViewPart[];
  readonly choices: readonly ApprovalChoice[];
}

export interface ViewPart {
  readonly label:
    | "Definition"
    | "Command"
    | "Purpose"
    | "Input"
    | "Changes"
    | "What"
    | "Would"
    | "Why"
    | "Runs"
    | "Beware";
  /** One line, unless it is quoted. */
  readonly text: string;
  /** Whether it is text of files, commands and models, of which every line needs a mark. */
  readonly isQuoted: boolean;
  /** The parts of a command that need approval, if not all of it does. */
  readonly marks: readonly { readonly start: number; readonly end: number }[];
  /** Whether a short form can leave it out. */
  readonly isDetail: boolean;
}

export interface ApprovalChoice {
  readonly id: "once" | "session" | "always" | "always 2" | "always 3" | "no";
  /** "Allow once", or how long its rules count, and for which tool: "Until this session ends, shell.run may". */
  readonly label: string;
  /** Continues the label with what its rules allow: "run exactly: npm test". Undefined when it adds none. */
  readonly adds?: string | undefined;
  /** Its rules, as they are stored. */
  readonly rules: readonly string[];
}
