import type { Approval, ApprovalRequest, ShownRequest } from "../../pipeline/approvals/approval.ts";
import { readAnswer as readApproval } from "../../pipeline/approvals/read-answer.ts";

/** A question that was written down because nobody could be asked. */
export interface PendingApproval {
  /** What a person types to answer. */
  readonly id: string;
  readonly workspace: string;
  /** Of the room that asked last. */
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** See ApprovalRequest. */
  readonly hash: string;
  readonly previewHash: string;
  readonly request: ShownRequest;
  /** What was said, while it waits for the call. */
  readonly answer?: ApprovalAnswer;
}

/** What a person has said, bound to what they were shown. */
export interface ApprovalAnswer {
  readonly says: Approval;
  readonly hash: string;
  readonly previewHash: string;
  readonly session: string;
  readonly answeredAt: number;
}

/** Only what is shown of the request: commands in it would be repeated for each of their parts. */
export function writeQuestion(question: PendingApproval & { readonly request: ApprovalRequest }): string {
  const { tool, input, accesses, risk, reason, rule, source, parts, preview, grants } = question.request;
  const { sandbox, unconfined, hosts } = question.request;
  const request: ShownRequest = {
    tool,
    input: preview === undefined ? input : null,
    accesses,
    risk,
    reason,
    rule,
    source,
    parts: parts
      .filter(({ verdict }) => verdict !== "allow")
      .map(({ part, verdict, reason, rule }) => ({
        part: { kind: part.kind, ...("in" in part && { in: part.in }) },
        verdict,
        reason,
        rule,
      })),
    preview,
    grants,
    sandbox,
    unconfined,
    hosts,
  };
  return JSON.stringify({ ...question, request }, (_key, value) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
}

/** Undefined for what is missing or damaged. */
export function readQuestion(text: string | undefined): PendingApproval | undefined {
  const found = parse(text) as Partial<PendingApproval> | undefined;
  const isWhole =
    typeof found?.askedAt === "number" &&
    [found.id, found.workspace, found.session, found.hash, found.previewHash].every(isText) &&
    typeof found.request === "object" &&
    found.request !== null;
  return isWhole ? (found as PendingApproval) : undefined;
}

export function writeAnswer(answer: ApprovalAnswer): string {
  return JSON.stringify(answer);
}

/** Undefined for what is missing or damaged. */
export function readAnswer(text: string | undefined): ApprovalAnswer | undefined {
  const found = parse(text) as Partial<ApprovalAnswer> | undefined;
  const says = readApproval(found?.says);
  if (says === undefined || typeof found?.answeredAt !== "number") return undefined;
  const { hash, previewHash, session, answeredAt } = found;
  if (!isText(hash) || !isText(previewHash) || !isText(session)) return undefined;
  return { says, hash, previewHash, session, answeredAt };
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
