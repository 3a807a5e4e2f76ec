import { randomBytes, randomUUID } from "node:crypto";
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  type ApprovalView,
  answers,
  approvalText,
  approvalView,
} from "../../engine/approvals/approval-view.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { Approval, ApprovalRequest } from "../../toolcrib/index.ts";
import type { QuestionOptions } from "../types.ts";
import type { FormAnswer, Task } from "./tasks.ts";

/** Signed state that the client returns with the answer. */
interface QuestionState {
  /** Identifies the call and what was shown of it. */
  readonly shown: string;
  /** Identifies the question, so that an answer counts only once. */
  readonly nonce: string;
  /** When the user was asked, by the clock of this process. */
  readonly askedMs: number;
}

/** The user's answer to a question that the client asked. */
export type Answer =
  | { readonly kind: "none" }
  /** The call is only tried: if it asks, it is made again. */
  | { readonly kind: "trial" }
  /** The client asks while the call waits. */
  | { readonly kind: "prompt"; ask(request: ApprovalRequest, signal: AbortSignal): Promise<Answer> }
  /** The client cannot ask, or declined by itself, or the user closed the form or left it empty. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "answered"; approve(request: ApprovalRequest): Approval | undefined };

/** Asks the user through the client, in both eras of the protocol. */
export class ApprovalQuestions {
  readonly #codec: RequestStateCodec<QuestionState>;
  readonly #reflexMs: number;
  readonly #used = new BoundedCache<string, true>({ maxEntries: maxRemembered });

  constructor({ questionSeconds = 600, reflexMs = 500 }: QuestionOptions = {}) {
    this.#reflexMs = reflexMs;
    this.#codec = createRequestStateCodec<QuestionState>({
      key: randomBytes(32),
      ttlSeconds: questionSeconds,
      bind: ({ mcpReq, sessionId = "" }) => `${mcpReq.method}\0${sessionId}`,
    });
  }

  /** Rejects state that was not signed by this server, for this session, recently. */
  verify(state: string, context: ServerContext): Promise<QuestionState> {
    return this.#codec.verify(state, context);
  }

  async ask(request: ApprovalRequest, context: ServerContext): Promise<InputRequiredResult> {
    const state = { shown: shownBy(request), nonce: randomUUID(), askedMs: monotonicMs() };
    const requestState = await this.#codec.mint(state, context);
    const inputRequests = { [questionKey]: inputRequired.elicit(formFor(request)) };
    return inputRequired({ requestState, inputRequests });
  }

  /** Asks while the call waits. A client that fails to ask counts as one that cannot ask. */
  async askMeanwhile(
    request: ApprovalRequest,
    signal: AbortSignal,
    { mcpReq }: ServerContext,
  ): Promise<Answer> {
    const params = { mode: "form" as const, ...formFor(request) };
    const options = { signal, timeout: patienceMs, resetTimeoutOnProgress: true, onprogress: () => {} };
    const askedMs = monotonicMs();
    const given = await mcpReq.send({ method: "elicitation/create", params }, options).catch((error) => {
      if (signal.aborted) throw error;
      return { action: "cancel" as const, content: undefined };
    });
    const shown = shownBy(request);
    return this.#answer(given, askedMs, (later) => shownBy(later) === shown);
  }

  /** Asks through a task, whose client sees the question when it polls. */
  async askInTask(request: ApprovalRequest, task: Task): Promise<Answer> {
    const askedMs = monotonicMs();
    const given = await task.ask(inputRequired.elicit(formFor(request)), patienceMs);
    const shown = shownBy(request);
    return this.#answer(given, askedMs, (later) => shownBy(later) === shown);
  }

  answerIn({ mcpReq }: ServerContext): Answer {
    const state = mcpReq.requestState<QuestionState>();
    if (state === undefined) return { kind: "none" };
    const view = inputResponse(mcpReq.inputResponses, questionKey);
    if (view.kind !== "elicit") return { kind: "none" };
    return this.#answer(
      view,
      state.askedMs,
      (request) => state.shown === shownBy(request) && this.#use(state.nonce),
    );
  }

  /** Reads the answer in a form; `isSame` recognizes the call that the form was shown for. */
  #answer(
    { action, content }: FormAnswer,
    askedMs: number,
    isSame: (request: ApprovalRequest) => boolean,
  ): Answer {
    const isDeclined = action === "decline" && monotonicMs() - askedMs >= this.#reflexMs;
    const chosen = isDeclined ? "no" : action === "accept" ? content?.answer : undefined;
    const known = typeof chosen === "string" && Object.hasOwn(answers, chosen) ? chosen : undefined;
    if (known === undefined) return { kind: "unanswered" };
    const { message } = content ?? {};
    const hasMessage = typeof message === "string" && message.trim() !== "";
    const approval: Approval =
      known === "no" && hasMessage
        ? { allow: false, message: message.slice(0, maxMessageChars) }
        : answers[known as keyof typeof answers];
    return {
      kind: "answered",
      approve: (request) => {
        if (!isSame(request)) return undefined;
        return approval.allow ? { ...approval, hash: request.hash } : approval;
      },
    };
  }

  /** Returns whether an answer is used for the first time. Answers that are forgotten have expired, or nearly so. */
  #use(nonce: string): boolean {
    if (this.#used.has(nonce)) return false;
    this.#used.set(nonce, true);
    return true;
  }
}

function formFor(request: ApprovalRequest) {
  const view = changeFirst(approvalView(request));
  return {
    message: approvalText(view),
    requestedSchema: {
      type: "object" as const,
      properties: {
        answer: {
          type: "string" as const,
          title: "Allow it?",
          enum: view.choices.map(({ id }) => id),
          // Clients that know names show them in place of the choices.
          enumNames: view.choices.map(({ label, adds }) => (adds === undefined ? label : `${label} ${adds}`)),
          // Accepting the form without touching it means yes, to this call only.
          default: "once",
        },
        message: {
          type: "string" as const,
          title: "Message to the model",
          description: "optional, when you deny it",
          maxLength: maxMessageChars,
        },
      },
      required: ["answer"],
    },
  };
}

const questionKey = "approval";
const maxMessageChars = 2_000;
const patienceMs = 600_000;
const maxRemembered = 10_000;

/** Identifies the call and the shown changes. When the files change meanwhile, the user is asked again. */
function shownBy({ hash, previewHash }: ApprovalRequest): string {
  return contentHash(Buffer.from(`${hash}\0${previewHash}`));
}

/**
 * Lets a diff with one hunk begin with its first changed line, because some clients show only the first lines of a
 * question. The title names the file and the line instead. Other questions stay as they are.
 */
function changeFirst(view: ApprovalView): ApprovalView {
  const diff = view.body.find(({ label }) => label === "Changes");
  const [head, path, start, context] =
    /^--- a\/(.+)\n\+\+\+ b\/\1\n@@ -(\d+)[^\n]*\n((?: [^\n]*\n)*)/.exec(diff?.text ?? "") ?? [];
  const rest = diff?.text.slice(head?.length ?? 0) ?? "";
  if (diff === undefined || head === undefined || /^(?:---|@@) /m.test(rest)) return view;
  const line = Number(start) + context!.split("\n").length - 1;
  const body = view.body.map((part) => (part === diff ? { ...part, text: rest } : part));
  return { ...view, title: `${view.title} in ${path}, line ${line}`, body };
}
