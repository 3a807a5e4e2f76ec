import type { ToolAccess, ToolRisk } from "../../contract/access.ts";
import type { SandboxLevel } from "../../contract/call.ts";
import type { ClientInfo } from "../../journal/journal.ts";
import type { GrantWidth } from "../../policy/grants.ts";
import type { CommandSegment, PolicyVerdict } from "../../policy/policy.ts";
import { redactAsked } from "../../policy/redaction/redact.ts";
import { hashValue } from "./hash-call.ts";

/**
 * Asks the user. The signal aborts when the call is cancelled, and with `AnsweredElsewhere` when the question needs no
 * answer any more. A program that shows one question at a time awaits `ready` before it shows one: earlier answers are
 * then in force, and the signal has aborted if they settle this question, too.
 */
export type Approve = (
  request: ApprovalRequest,
  signal: AbortSignal,
  ready?: () => Promise<void>,
) => Promise<Approval> | Approval;

/** The reason with which a question is withdrawn: another program answered it, or new rules did. */
export class AnsweredElsewhere extends Error {
  override readonly name = "AnsweredElsewhere";
  readonly approval: Approval;

  constructor(approval: Approval, how: "answered elsewhere" | "by new rules") {
    super(`${approval.allow ? "Allowed" : "Denied"}, ${how}`);
    this.approval = approval;
  }
}

/** Everything that the user is shown before a call may run. */
export interface ApprovalRequest {
  /** Short, and the same for the same call; `toolcrib approve` and `toolcrib.approvals.answer` take it. */
  readonly id: string;
  readonly callId: string;
  /** The program that makes the call. */
  readonly client?: ClientInfo | undefined;
  /** The subagent that makes the call, `agent_1`; undefined for the main agent. */
  readonly agent?: string | undefined;
  /** The call of the script that makes the call. A script must not be repeated to ask about one of its calls. */
  readonly parent?: string | undefined;
  /** The target or other environment that the call uses, `ssh:host:/dir`; undefined for this machine. */
  readonly target?: string | undefined;
  /** The name that rules use: the canonical one, or a server's own name for its tool. */
  readonly tool: string;
  /** The MCP server of the tool; undefined for Toolcrib's own tools. */
  readonly server?: string | undefined;
  readonly input: unknown;
  readonly accesses: readonly ToolAccess[];
  readonly risk: ToolRisk;
  /** The reason why approval is needed. */
  readonly reason: string;
  /** The rule that asks, as written, and its source: a file and line, "built-in", or "mode cautious". */
  readonly rule: string;
  readonly source: string;
  /** The verdict on every part of the call, among them the segments of a command. */
  readonly parts: readonly PolicyVerdict[];
  /** The expected changes: a unified diff, or a sentence; undefined when the tool has no preview. */
  readonly preview: string | undefined;
  /** The lines of the tool's definition that differ from the one the user allowed before, as in a unified diff. */
  readonly definitionChange?: string | undefined;
  /** The rules that the answers "session" and "always" add; empty when the call can only be allowed once. */
  readonly grants: readonly string[];
  /** The rules that "always" can add, `grants` first, then wider ones; an answer chooses by position. */
  readonly widths?: readonly GrantWidth[] | undefined;
  /** The folder in which commands start. */
  readonly directory: string;
  /** A fingerprint of the variables that commands get. */
  readonly environment: string;
  /** The sandbox of the commands; "none" also when rules take them out of the sandbox. */
  readonly sandbox: SandboxLevel;
  /** Whether rules take the commands out of the sandbox. */
  readonly unconfined: boolean;
  /** Why this machine has no sandbox, and what fixes that: in the first question about a command without one. */
  readonly noSandbox?: string | undefined;
  /** The hosts that the commands may reach once approved, "*" for any; empty when the call runs no command. */
  readonly hosts: readonly string[];
  /** Identifies exactly this call: tool, input, real paths, directory, variables, sandbox. */
  readonly hash: string;
  /** Identifies the whole preview, including the part that is not shown, and the files it was made from. */
  readonly previewHash: string;
}

/** The part of a request that the user reads, without secrets, which can be stored. */
export interface ShownRequest
  extends Omit<
    ApprovalRequest,
    "id" | "callId" | "parts" | "directory" | "environment" | "hash" | "previewHash"
  > {
  readonly parts: readonly ShownPart[];
}

export interface ShownPart extends Pick<PolicyVerdict, "verdict" | "reason" | "rule"> {
  readonly part: { readonly kind: string; readonly in?: CommandSegment | undefined };
}

/** The user's answer. The message of a refusal is passed to the model. */
export type Approval =
  | {
      readonly allow: true;
      /** Adds the rules in `grants`: until this Toolcrib is closed, or for this workspace from now on. */
      readonly remember?: "session" | "always" | undefined;
      /** Which of the `widths` of the request "always" adds. Default: 0, exactly what was shown. */
      readonly width?: number | undefined;
      /** The `hash` of the approved request, for answers that come from another process. An answer with another hash is ignored. */
      readonly hash?: string | undefined;
      /** Whether it counts for one call only, even when the same call is made at the same time. */
      readonly countsOnce?: boolean | undefined;
    }
  | { readonly allow: false; readonly message?: string | undefined };

/** Returns the rules that "always" adds; those for exactly this call when the answer chooses none that was offered. */
export function rulesOfWidth(
  { grants, widths = [] }: Pick<ApprovalRequest, "grants" | "widths">,
  width: number | undefined,
): readonly string[] {
  return widths[width ?? 0]?.rules ?? grants;
}

/**
 * Returns an id that is the same for the same call and short enough to type. Two calls may share an id, so answers are
 * compared by their whole hashes.
 */
export function approvalId({ hash, previewHash }: Pick<ApprovalRequest, "hash" | "previewHash">): string {
  const digest = BigInt(`0x${hashValue([hash, previewHash])}`);
  return Array.from({ length: 6 }, (_, index) => letters[Number((digest >> BigInt(index * 5)) & 31n)]).join(
    "",
  );
}

/** The letters and digits of an id, without those that look alike. */
const letters = "23456789abcdefghijkmnpqrstuvwxyz";

/** Parses an answer from outside. Only a plain `true` allows. Returns undefined for anything that is not an answer. */
export function parseApproval(given: unknown): Approval | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { allow, remember, width, hash, countsOnce, message } = given as Record<string, unknown>;
  if (allow === false) return typeof message === "string" ? { allow, message } : { allow };
  if (allow !== true) return undefined;
  return {
    allow,
    // An unknown `remember` still allows the call once.
    remember: remember === "session" || remember === "always" ? remember : undefined,
    width: Number.isSafeInteger(width) ? (width as number) : undefined,
    hash: hash === undefined ? undefined : String(hash),
    countsOnce: countsOnce === true || undefined,
  };
}

/** Leaves out secrets, the input when there is a preview, and the parts that are allowed. */
export function toShownRequest(request: ShownRequest): ShownRequest {
  const { id, callId, directory, environment, hash, previewHash, ...shown } = request as ApprovalRequest;
  const parts = request.parts
    .filter(({ verdict }) => verdict !== "allow")
    .map(({ part, verdict, reason, rule }) => {
      // The positions do not fit a command that was redacted.
      const isWhole = part.in === undefined || redactAsked(part.in.command) === part.in.command;
      return { part: { kind: part.kind, in: isWhole ? part.in : undefined }, verdict, reason, rule };
    });
  return redactAsked({ ...shown, input: shown.preview === undefined ? shown.input : null, parts });
}

/**
 * Returns a deep copy that other code cannot change between the check and the run. Values that are neither plain
 * objects nor arrays belong to the tool and are not copied.
 */
export function snapshot<Value>(value: Value): Value;
export function snapshot(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => snapshot(item));
  if (value instanceof Uint8Array) return value.slice();
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, snapshot(item)]));
}
