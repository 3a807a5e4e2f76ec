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
  askerOf,
  callerOf,
  commandsIn,
  confinementText,
  definitionLines,
  otherInput,
  reasonsOf,
  widthsOf,
} from "../../engine/approvals/question-text.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { truncateText } from "../../lib/text/truncate.ts";
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
    const known = approvals.get(chosen);
    if (known === undefined) return { kind: "unanswered" };
    const { message } = content ?? {};
    const hasMessage = typeof message === "string" && message.trim() !== "";
    const approval: Approval =
      !known.allow && hasMessage ? { allow: false, message: message.slice(0, maxMessageChars) } : known;
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
  const rules = widthsOf(request).map((rule) => printableLine(rule));
  const remembering = rules.map(
    (rule, at) => [at === 0 ? "always" : alwaysWider(at), `Always: ${rule}`] as const,
  );
  const choices = [
    ["once", "Allow once"],
    ...(rules.length === 0 ? [] : [["session", `Until the server ends: ${rules[0]}`] as const]),
    ...remembering,
    ["no", "Deny"],
  ] as const;
  return {
    message: describeRequest(request),
    requestedSchema: {
      type: "object" as const,
      properties: {
        answer: {
          type: "string" as const,
          title: "Allow it?",
          description: choices.map(([choice]) => `${choice}: ${meanings[choice]}`).join("; "),
          enum: choices.map(([choice]) => choice),
          // Clients that know names show them in place of the choices.
          enumNames: choices.map(([, name]) => name),
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

const meanings: Readonly<Record<string, string>> = {
  once: "this call",
  session: "also by the rules above, until the server ends",
  always: "also by the rules above, in this workspace from now on",
  "always 2": "the same with the wider rule",
  "always 3": "the same with the widest rule",
  no: "deny it",
};

const approvals: ReadonlyMap<unknown, Approval> = new Map<unknown, Approval>([
  ["once", { allow: true }],
  ["session", { allow: true, remember: "session" }],
  ["always", { allow: true, remember: "always" }],
  ["always 2", { allow: true, remember: "always", width: 1 }],
  ["always 3", { allow: true, remember: "always", width: 2 }],
  ["no", { allow: false }],
]);

/** Identifies the call and the shown changes. When the files change meanwhile, the user is asked again. */
function shownBy({ hash, previewHash }: ApprovalRequest): string {
  return contentHash(Buffer.from(`${hash}\0${previewHash}`));
}

/** Writes the question. Text from files, commands and models is made printable and indented. */
export function describeRequest(request: ApprovalRequest): string {
  const { risk } = request;
  const { where, preview } = changeFirst(request.preview);
  const input = preview === undefined ? otherInput(request) : undefined;
  const changed = definitionLines(request);
  const runs = confinementText(request);
  const widths = widthsOf(request);
  const asker = askerOf(request);
  return [
    `${asker === undefined ? "Allow" : `${printableLine(asker)} asks: allow`} ${printableLine(callerOf(request) + where)}? (risk: ${risk})`,
    ...commandsIn(request).map(quote),
    ...(changed.length === 0 ? [] : [quote(changed.join("\n"))]),
    ...(preview === undefined ? [] : [quote(preview)]),
    ...(input === undefined ? [] : ["Input:", quote(input)]),
    ...reasonsOf(request).map((reason) => `Why: ${printableLine(reason)}`),
    ...(runs === undefined ? [] : [`It runs ${printableLine(runs)}`]),
    ...(widths.length === 0
      ? ["It can only be allowed once."]
      : [
          ...widths.map(
            (rule, at) =>
              `"${at === 0 ? 'session" and "always' : alwaysWider(at)}" add: ${printableLine(rule)}`,
          ),
        ]),
  ].join("\n");
}

/**
 * Lets a diff with one hunk begin with its first changed line, because some clients show only the first lines of a
 * question. `where` names the file and the line instead. Other previews stay as they are.
 */
function changeFirst(preview: string | undefined): { readonly where: string; readonly preview?: string } {
  if (preview === undefined) return { where: "" };
  const [head, path, start, context] =
    /^--- a\/(.+)\n\+\+\+ b\/\1\n@@ -(\d+)[^\n]*\n((?: [^\n]*\n)*)/.exec(preview) ?? [];
  const rest = preview.slice(head?.length ?? 0);
  if (head === undefined || /^(?:---|@@) /m.test(rest)) return { where: "", preview };
  const line = Number(start) + context!.split("\n").length - 1;
  return { where: ` in ${path}, line ${line}`, preview: rest };
}

/** The answer that adds a wider rule than "always". */
function alwaysWider(at: number): string {
  return `always ${at + 1}`;
}

function quote(text: string): string {
  const { text: shown } = truncateText(
    printable(text),
    limits,
    ({ chars }) => `[… ${chars} characters not shown …]`,
  );
  return shown.replace(/^/gm, "    ");
}

const limits = { maxChars: 4_000, maxLines: 80, keep: "both" } as const;
