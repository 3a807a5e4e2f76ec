import { join } from "node:path";
import { fingerprint } from "../../lib/bytes/content-hash.ts";
import type { TokenUsage } from "../../models/model.ts";
import type { ClientInfo } from "../../toolcrib/index.ts";
import type { ContextUse, SessionState } from "../event.ts";
import type { AgentNode } from "../session.ts";

// An open session listens on a Unix socket, so that other programs of the same user can watch and steer it. Both sides
// send one JSON object per line.

/** The first message of a session: what it is and what it does now. */
export interface LiveHello {
  readonly type: "hello";
  readonly session: string;
  readonly pid: number;
  /** The real path. */
  readonly workspace: string;
  readonly client: ClientInfo;
  readonly state: SessionState;
  readonly model: string;
  readonly mode: string;
  readonly isPlanning: boolean;
  readonly turns: number;
  readonly usage: TokenUsage;
  /** In US dollars; null when unknown. */
  readonly cost: number | null;
  readonly context: ContextUse;
  /** The latest plan of this process; empty when there is none. */
  readonly plan: readonly LivePlanStep[];
  /** The subagents, oldest first. */
  readonly agents: readonly AgentNode[];
}

export interface LivePlanStep {
  readonly text: string;
  readonly state: "pending" | "active" | "done";
}

/** An event of a session after its hello. `agent` is null for the session itself. */
export type LiveUpdate =
  | { readonly type: "state"; readonly state: SessionState }
  /** A part of the model's text. */
  | { readonly type: "text"; readonly id: string; readonly agent: string | null; readonly text: string }
  /** A part of a command's output, with its escape sequences. */
  | { readonly type: "output"; readonly id: string; readonly agent: string | null; readonly text: string }
  | {
      readonly type: "usage";
      readonly usage: TokenUsage;
      readonly cost: number | null;
      readonly context: ContextUse;
    }
  | { readonly type: "plan"; readonly plan: readonly LivePlanStep[] }
  | { readonly type: "agents"; readonly agents: readonly AgentNode[] }
  /** New entries of the conversation were recorded. */
  | { readonly type: "recorded" };

/** A command of a peer to a session. Each command gets one reply with its id. */
export type LiveCommand =
  /** A message for the running turn, or the input of the next one. */
  | { readonly type: "steer"; readonly id: number; readonly text: string }
  /** Ends the running turn; the session stays open. */
  | { readonly type: "interrupt"; readonly id: number }
  /** Ends the session as Ctrl-C would. */
  | { readonly type: "stop"; readonly id: number };

export interface LiveReply {
  readonly type: "reply";
  readonly id: number;
  /** Null when the command was accepted. */
  readonly error: { readonly message: string; readonly hint: string | null } | null;
}

/** Returns the folder of the sockets. Only its owner can enter it. */
export function socketFolder(state: string): string {
  return join(state, "live");
}

/** The beginning of the name of a session's socket. */
export function socketPrefix(session: string): string {
  return `${fingerprint(session)}-`;
}
