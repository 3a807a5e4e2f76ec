import { randomBytes, randomUUID } from "node:crypto";
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestId,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { truncateText } from "../../lib/text/truncate.ts";
import type { Approval, ApprovalRequest } from "../../toolcrib/index.ts";

/** What travels with a question through the client, signed, and comes back with the answer. */
interface QuestionState {
  /** Stands for the very call and what was shown of it. */
  readonly shown: string;
  /** Each answer counts once. */
  readonly nonce: string;
}

/** What a person said, where the client came back with a question of ours. */
export type Answer =
  | { readonly kind: "none" }
  /** Nobody could be asked, or the form was closed, or left empty: as if there were no such client. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "answered"; approve(request: ApprovalRequest): Approval | undefined };

/** Questions that clients put before a person, and their answers; the same in both eras of the protocol. */
export class ApprovalQuestions {
  readonly #codec: RequestStateCodec<QuestionState>;
  readonly #used = new BoundedCache<string, true>({ maxEntries: maxRemembered });
  /** What is to be asked about requests that were tried before the SDK has them. */
  readonly #found = new Map<RequestId, ApprovalRequest>();

  constructor({ ttlSeconds = 600 }: { readonly ttlSeconds?: number | undefined } = {}) {
    this.#codec = createRequestStateCodec<QuestionState>({
      key: randomBytes(32),
      ttlSeconds,
      bind: ({ mcpReq, sessionId = "" }) => `${mcpReq.method}\0${sessionId}`,
    });
  }

  /** Refuses what was not signed here, for this session, a short while ago. */
  verify(state: string, context: ServerContext): Promise<QuestionState> {
    return this.#codec.verify(state, context);
  }

  /** A request was tried and has to be asked about; it is handed on to be asked. */
  noteFound(id: RequestId, request: ApprovalRequest): void {
    this.#found.set(id, request);
  }

  takeFound(id: RequestId): ApprovalRequest | undefined {
    const request = this.#found.get(id);
    this.#found.delete(id);
    return request;
  }

  async ask(request: ApprovalRequest, context: ServerContext): Promise<InputRequiredResult> {
    const requestState = await this.#codec.mint({ shown: shownBy(request), nonce: randomUUID() }, context);
    return inputRequired({
      requestState,
      inputRequests: {
        [questionKey]: inputRequired.elicit(formFor(request)),
      },
    });
  }

  /** Asks while the call waits. A client that cannot do what it says it can is one that cannot ask. */
  async askMeanwhile(request: ApprovalRequest, { mcpReq }: ServerContext): Promise<Answer> {
    const { signal } = mcpReq;
    const params = { mode: "form" as const, ...formFor(request) };
    const options = { signal, timeout: patienceMs, resetTimeoutOnProgress: true, onprogress: () => {} };
    const given = await mcpReq.send({ method: "elicitation/create", params }, options).catch((error) => {
      if (signal.aborted) throw error;
      return { action: "cancel" as const, content: undefined };
    });
    const shown = shownBy(request);
    return answerOf(given, (later) => shownBy(later) === shown);
  }

  answerIn({ mcpReq }: ServerContext): Answer {
    const state = mcpReq.requestState<QuestionState>();
    if (state === undefined) return { kind: "none" };
    const view = inputResponse(mcpReq.inputResponses, questionKey);
    if (view.kind !== "elicit") return { kind: "none" };
    return answerOf(view, (request) => state.shown === shownBy(request) && this.#use(state.nonce));
  }

  /** Whether an answer has not counted yet. Older ones than those remembered have expired, or nearly so. */
  #use(nonce: string): boolean {
    if (this.#used.has(nonce)) return false;
    this.#used.set(nonce, true);
    return true;
  }
}

function formFor(request: ApprovalRequest) {
  const choices = ["once", ...(request.grants.length === 0 ? [] : ["session", "always"]), "no"];
  return {
    message: describeRequest(request),
    requestedSchema: {
      type: "object" as const,
      properties: {
        answer: {
          type: "string" as const,
          title: "Allow it?",
          description: choices.map((choice) => `${choice}: ${meanings[choice]}`).join("; "),
          enum: choices,
        },
      },
      required: ["answer"],
    },
  };
}

/** What a filled form says; `isMeant` tells the call that it was shown for. */
function answerOf(
  { action, content }: { readonly action: string; readonly content?: Record<string, unknown> | undefined },
  isMeant: (request: ApprovalRequest) => boolean,
): Answer {
  const approval = action === "accept" ? approvals.get(content?.answer) : undefined;
  if (approval === undefined) return { kind: "unanswered" };
  return {
    kind: "answered",
    approve: (request) =>
      isMeant(request) ? { ...approval, ...(approval.allow ? { hash: request.hash } : {}) } : undefined,
  };
}

const questionKey = "approval";
/** People take their time. */
const patienceMs = 600_000;
const maxRemembered = 10_000;

const meanings: Readonly<Record<string, string>> = {
  once: "this call",
  session: "also what is named above, until the server ends",
  always: "also what is named above, in this workspace from now on",
  no: "refuse it",
};

const approvals: ReadonlyMap<unknown, Approval> = new Map<unknown, Approval>([
  ["once", { allow: true }],
  ["session", { allow: true, remember: "session" }],
  ["always", { allow: true, remember: "always" }],
  ["no", { allow: false }],
]);

/** The call, and the changes that were shown: what others have changed since must be shown again. */
function shownBy({ hash, previewHash }: ApprovalRequest): string {
  return contentHash(Buffer.from(`${hash}\0${previewHash}`));
}

/** What a client puts before a person. Whatever comes from files, commands or models is made visible and indented. */
function describeRequest(request: ApprovalRequest): string {
  const { tool, risk, reason, rule, source, preview, grants, accesses } = request;
  const commands = accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
  return [
    `Allow ${tool}? (risk: ${risk})`,
    `Why it is asked: ${printableLine(reason)}`,
    `Rule: ${printableLine(rule.startsWith(source) ? rule : `${rule} (${source})`)}`,
    ...commands.flatMap((command) => ["Command:", quote(command)]),
    ...(commands.length === 0 ? [] : [`It runs ${placeToRun(request)}.`]),
    ...(preview === undefined ? describeInput(request, commands) : ["Changes:", quote(preview)]),
    grants.length === 0
      ? "It can be allowed only once."
      : `"session" and "always" would add: ${grants.map(printableLine).join("; ")}`,
  ].join("\n");
}

function describeInput({ input }: ApprovalRequest, commands: readonly string[]): readonly string[] {
  const given = Object.entries(input ?? {}).filter(([, value]) => !commands.includes(value));
  if (given.length === 0) return [];
  return ["Input:", quote(JSON.stringify(Object.fromEntries(given), asText, 2))];
}

function placeToRun({ sandbox, unconfined, hosts }: ApprovalRequest): string {
  if (unconfined) return "outside the sandbox, as your rules say, and reaches all that you can reach";
  if (sandbox === "none") return "without a sandbox and reaches all that you can reach";
  if (hosts.length === 0) return `in the sandbox (${sandbox}) and reaches no host`;
  return `in the sandbox (${sandbox}) and reaches ${hosts.includes("*") ? "every host that no rule denies" : hosts.join(", ")}`;
}

function quote(text: string): string {
  const { text: shown } = truncateText(
    printable(text),
    limits,
    ({ chars }) => `[… ${chars} characters are not shown …]`,
  );
  return shown.replace(/^/gm, "    ");
}

const limits = { maxChars: 4_000, maxLines: 80, keep: "both" } as const;

/** JSON knows no large integers. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
