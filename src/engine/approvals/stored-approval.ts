import type { ClientInfo } from "../../journal/journal.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { type Approval, parseApproval, type ShownRequest } from "./approval-request.ts";

/** A stored approval request that waits for the user's answer. */
export interface PendingApproval {
  /** The id that the user types to answer. */
  readonly id: string;
  readonly workspace: string;
  /** The session that asked last. */
  readonly session: string;
  /** The program of that session; null when an earlier version stored the request. */
  readonly client: ClientInfo | null;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** The same hash as in `ApprovalRequest`. */
  readonly hash: string;
  readonly previewHash: string;
  readonly request: ShownRequest;
  /** How many equal calls wait for the answer now; 0 when the call was refused and may be made again. */
  readonly waiting: number;
  /** The ids of the SDK calls that ask this question, for `AskOptions.sdkCall`. */
  readonly sdkCalls?: readonly string[] | undefined;
  /** The answer, as long as the call has not been made again. */
  readonly answer?: ApprovalAnswer;
}

/** The user's answer, bound by hashes to the request that was shown. */
export interface ApprovalAnswer {
  readonly says: Approval;
  readonly hash: string;
  readonly previewHash: string;
  readonly session: string;
  readonly answeredAt: number;
}

/** The name of a file: `ID.question`, `ID.WAITER.question`, or the same with `.answer`. */
export interface FileName {
  readonly id: string;
  readonly waiter: string | undefined;
  readonly kind: "question" | "answer";
  /** Without the kind. */
  readonly name: string;
}

export function parseName(file: string): FileName | undefined {
  const [, name = "", id, waiter, kind] =
    /^((\w+)(?:\.([\w-]+\.[0-9a-f]+))?)\.(question|answer)$/.exec(file) ?? [];
  if (id === undefined) return undefined;
  return { id, waiter, kind: kind as FileName["kind"], name };
}

/** Whether both are about the same call with the same preview. */
export function isSame(one: Pick<PendingApproval, "hash" | "previewHash">, other: typeof one): boolean {
  return one.hash === other.hash && one.previewHash === other.previewHash;
}

/** Returns undefined when the text is missing or damaged. */
export function parsePending(text: string | undefined): PendingApproval | undefined {
  const found = tryParseJson(text ?? "") as Partial<PendingApproval> | null | undefined;
  const isWhole =
    typeof found?.askedAt === "number" &&
    [found.id, found.workspace, found.session, found.hash, found.previewHash].every(isText) &&
    typeof found.request === "object" &&
    found.request !== null &&
    (found.sdkCalls === undefined || (Array.isArray(found.sdkCalls) && found.sdkCalls.every(isText)));
  return isWhole ? { ...(found as PendingApproval), client: found.client ?? null, waiting: 0 } : undefined;
}

/** Returns undefined when the text is missing or damaged. */
export function parseAnswer(text: string | undefined): ApprovalAnswer | undefined {
  const found = tryParseJson(text ?? "") as Partial<ApprovalAnswer> | null | undefined;
  const says = parseApproval(found?.says);
  if (says === undefined || typeof found?.answeredAt !== "number") return undefined;
  const { hash, previewHash, session, answeredAt } = found;
  if (!isText(hash) || !isText(previewHash) || !isText(session)) return undefined;
  return { says, hash, previewHash, session, answeredAt };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
