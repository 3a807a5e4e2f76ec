import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ContentBlock,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/json/is-record.ts";
import { toResult, withoutApproval } from "../../toolcrib/call-result.ts";
import {
  type Approval,
  type ApprovalRequest,
  type Approve,
  type CallEvent,
  type CallResult,
  ToolError,
} from "../../toolcrib/index.ts";
import { HubData, passOn } from "../hub/hub-data.ts";
import type { Answer, ApprovalQuestions } from "./approvals.ts";
import { appMetaOf, diffOf, showsApps } from "./changes-app.ts";
import type { CallLog, ClientLog } from "./client-log.ts";
import { outputUri } from "./outputs.ts";
import { ProgressNotes } from "./progress-notes.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";
import { knowsTasks, type Task } from "./tasks.ts";

/** Runs a client's call, asks for approval through the client, and returns the result in MCP's form. */
export async function callTool(
  wanted: WantedCall,
  parts: AskingParts,
  client: ClientAbilities,
  context: ServerContext,
  task?: Task,
): Promise<CallToolResult | InputRequiredResult> {
  const made = await completeCall(wanted, parts, client, context, task);
  if (made.kind === "asked") return made.question;
  return toCallResult(made.result, {
    ...client,
    ...made,
    diff: await diffFor(wanted, client, parts.served, made.result),
  });
}

/** Returns the changes of a call for a client that shows them in a view. */
async function diffFor(
  { name }: WantedCall,
  { hasApps }: ClientAbilities,
  served: ServedToolcrib,
  result: CallResult,
): Promise<string | undefined> {
  const tool = hasApps ? (await served.definitions()).find((each) => each.name === name) : undefined;
  return tool && appMetaOf(tool) ? diffOf(await served.crib(), result) : undefined;
}

interface AskingParts {
  readonly served: ServedToolcrib;
  readonly questions: ApprovalQuestions;
  readonly log?: ClientLog | undefined;
}

/**
 * Makes a client's call and asks for approval through the client. Returns its result, or the question. A call that has
 * become a task asks through the task and waits.
 */
export async function completeCall(
  wanted: WantedCall,
  { served, questions, log: clientLog }: AskingParts,
  client: ClientAbilities,
  context: ServerContext,
  task?: Task,
): Promise<CompleteCall | { readonly kind: "asked"; readonly question: InputRequiredResult }> {
  const { _meta, notify: notifyRequest } = context.mcpReq;
  const signal = task?.signal ?? context.mcpReq.signal;
  const token = _meta?.progressToken;
  // The request of a task is answered, and tasks have neither progress notifications nor log messages.
  const notify: typeof notifyRequest = async (...given) => {
    if (!task?.isTask) await notifyRequest(...given);
  };
  const progress = token === undefined ? undefined : new ProgressNotes(notify, token);
  const log = clientLog?.ofCall(notify, context);
  try {
    const readOnly = isReadOnly(context);
    const onEvent = listenersOf(progress, task, log);
    const make = (answer: Answer) => makeCall(wanted, served, { signal, answer, onEvent, log, readOnly });
    let made = await make(answerOf(client, questions, context));
    // The files changed while the user was asked.
    for (let times = 1; made.kind === "question" && !client.isAskedByResults && times < maxTimes; times += 1)
      made = await make(answerOf(client, questions, context));
    // The call was a task before it came to ask, for example because the instance had to open first.
    for (let times = 1; made.kind === "question" && task?.settle() && times < maxTimes; times += 1)
      made = await make(await questions.askInTask(made.request, task));
    if (made.kind === "question" && client.isAskedByResults && !task?.isTask)
      return { kind: "asked", question: await questions.ask(made.request, context) };
    if (made.kind === "question" || made.kind === "unanswered") made = await make({ kind: "unanswered" });
    if (made.kind === "question" || made.kind === "unanswered")
      throw new Error("A call asked without a prompt");
    if (made.kind === "unknown") throw new ProtocolError(ProtocolErrorCode.InvalidParams, made.message);
    return made;
  } finally {
    progress?.end();
  }
}

/** Returns a listener for everything that follows a call. Without a listener, calls skip their events. */
export function listenersOf(
  progress: ProgressNotes | undefined,
  task: Task | undefined,
  log: CallLog | undefined,
): ((event: CallEvent) => void) | undefined {
  const follower = log?.wants("info") ? log : undefined;
  if (progress === undefined && task === undefined && follower === undefined) return undefined;
  return (event) => {
    progress?.hear(event);
    task?.hear(event);
    follower?.hear(event);
  };
}

function answerOf(client: ClientAbilities, questions: ApprovalQuestions, context: ServerContext): Answer {
  if (!client.asks) return { kind: "unanswered" };
  if (client.isAskedByResults) return questions.answerIn(context);
  return { kind: "prompt", ask: (request, signal) => questions.askMeanwhile(request, signal, context) };
}

/** How often one call asks the user. It asks again when the files have changed meanwhile. */
const maxTimes = 8;

export interface WantedCall {
  readonly name: string;
  readonly input: unknown;
  /** Set for a tool that the server chose and models are not offered. Default: false. */
  readonly isUnlisted?: boolean;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly answer: Answer;
  readonly onEvent: ((event: CallEvent) => void) | undefined;
  /** Undefined when the client wants no messages. */
  readonly log?: CallLog | undefined;
  readonly readOnly?: boolean;
}

interface CompleteCall {
  readonly kind: "result";
  readonly result: CallResult;
  readonly isStructured: boolean;
}

type MadeCall =
  | CompleteCall
  | { readonly kind: "question"; readonly request: ApprovalRequest }
  /** The client could not ask, or its user did not answer. */
  | { readonly kind: "unanswered" }
  /** The tool does not exist. */
  | { readonly kind: "unknown"; readonly message: string };

/** Makes a call with the user's answer, or asks for it. */
export async function makeCall(
  { name, input, isUnlisted = false }: WantedCall,
  served: ServedToolcrib,
  { signal, answer, onEvent, log, readOnly = false }: CallOptions,
): Promise<MadeCall> {
  const crib = await served.crib().catch(asToolError);
  // A model reads why and what to do from a result. Clients hide errors of the protocol from it.
  if (crib instanceof ToolError) {
    log?.write("error", { event: "not opened", tool: name, reason: crib.message });
    await log?.flush();
    return { kind: "result", result: toResult("", { ok: false, error: crib }), isStructured: false };
  }
  let question: ApprovalRequest | undefined;
  let isUnanswered = false;
  const take = (request: ApprovalRequest, approval: Approval): Approval => {
    const event = approval.allow ? "approved" : "refused by the user";
    log?.write("notice", { event, tool: request.tool, call: request.callId });
    return approval;
  };
  const approve: Approve = async (request, withdrawn) => {
    if (answer.kind === "answered") {
      const approval = answer.approve(request);
      if (approval !== undefined) return take(request, approval);
    }
    // A call that asks is made again with the answer, which must not happen to a script that has done a part of its work.
    const isInner = request.parent !== undefined;
    if (isInner && answer.kind !== "prompt") throw askedInScript();
    if (!isInner) question = request;
    if (answer.kind !== "trial")
      log?.write("notice", { event: "approval asked", tool: request.tool, call: request.callId });
    if (answer.kind !== "prompt") throw askedByClient(answer);
    const given = await answer.ask(request, withdrawn);
    const approval = given.kind === "answered" ? given.approve(request) : undefined;
    if (isInner && approval === undefined) throw askedInScript();
    isUnanswered = approval === undefined;
    if (approval === undefined) throw askedByClient(answer);
    return take(request, approval);
  };
  const result = await (await served.caller({ readOnly })).call(name, input, {
    signal,
    onlyOffered: !isUnlisted,
    approve: answer.kind === "unanswered" ? undefined : approve,
    onEvent,
  });
  const hasChanged = result.error?.details?.kind === "changed-while-asked";
  const isAsked = question !== undefined && (answer.kind !== "prompt" || hasChanged);
  // A call that was only asked about is made again, and nothing follows a cancelled one.
  await (isUnanswered || isAsked || signal.aborted ? log?.flush() : log?.end(name, result, served));
  if (isUnanswered) return { kind: "unanswered" };
  if (question !== undefined && isAsked) return { kind: "question", request: question };
  const details = result.error?.details;
  // An unknown tool named by tools_call is an ordinary failed call.
  if (details?.kind === "unknown-tool" && details.name === name)
    return { kind: "unknown", message: result.content.replaceAll("\n", ". ") };
  if (result.output !== null) served.noteOutput(result.output);
  if (isUnlisted) return { kind: "result", result, isStructured: false };
  const note = served.takeNote(crib);
  // Without structured content, which clients show instead of the text.
  if (note !== undefined)
    return {
      kind: "result",
      result: { ...result, content: `${result.content}\n\n${note}` },
      isStructured: false,
    };
  return { kind: "result", result, isStructured: result.error === null && (await served.isStructured(name)) };
}

function asToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  throw error;
}

/** The journal records this error; the call is made again. */
function askedByClient({ kind }: Answer): ToolError {
  return new ToolError("needs-approval", "The user is being asked through the client", {
    hint: "The call is made again with the answer.",
    // Until then, other programs can answer, too.
    details: kind === "trial" || kind === "prompt" ? undefined : { kind: "asked-by-client" },
  });
}

function askedInScript(): ToolError {
  return new ToolError(
    "needs-approval",
    "This call needs approval, and the client cannot ask in the middle of a script",
    {
      hint: "Make this call by itself, outside of the script.",
    },
  );
}

/** Returns whether a call runs a script, which must not be tried first and then made again. */
export function isScript({ name, input }: WantedCall): boolean {
  const { name: inner } = (input ?? {}) as { readonly name?: unknown };
  return [name, inner].some((each) => each === "tools_script" || each === "tools.script");
}

interface ResultForm extends Pick<ClientAbilities, "knowsLinks"> {
  readonly isStructured: boolean;
  /** The changes of the call, for the client's view. */
  readonly diff?: string | undefined;
}

export function toCallResult(
  { content, isError, failed, data, images, output, error }: CallResult,
  { isStructured, knowsLinks, diff }: ResultForm,
): CallToolResult {
  const blocks: ContentBlock[] = images.map(({ mediaType, base64 }) => ({
    type: "image",
    data: base64,
    mimeType: mediaType,
  }));
  if (content !== "" || blocks.length === 0) blocks.unshift({ type: "text", text: content });
  if (output !== null && knowsLinks) {
    blocks.push({
      type: "resource_link",
      uri: outputUri(output),
      name: output,
      mimeType: "text/plain",
      description: "The whole output",
    });
  }
  // The call was made to a tool of another server, by whatever name.
  const passed = data instanceof HubData ? passOn(data) : undefined;
  if (passed !== undefined && knowsLinks) blocks.push(...passed.links);
  const own = isStructured && isRecord(data) ? data : undefined;
  // Clients show structured content instead of the text, which says how to get the rest of a cut output.
  const structuredContent = passed !== undefined && output === null ? passed.structuredContent : own;
  const _meta = {
    ...(error && { "toolcrib/error": { ...withoutApproval(error), output: undefined } }),
    ...(failed !== undefined && { "toolcrib/failed": failed }),
    ...(diff !== undefined && { "toolcrib/diff": diff }),
  };
  return {
    content: blocks,
    ...(structuredContent !== undefined && knowsLinks ? { structuredContent } : {}),
    ...(isError ? { isError } : {}),
    // For programs: clients show models the content only.
    ...(Object.keys(_meta).length > 0 && { _meta }),
  };
}

/** Whether a request was sent with an access token that allows only reading. */
export function isReadOnly({ http }: ServerContext): boolean {
  return http?.authInfo !== undefined;
}

/** The abilities of the client, which each request declares in the 2026 era. */
export interface ClientAbilities {
  /** Whether it can show the user a form. */
  readonly asks: boolean;
  /** Whether it gets questions as results and repeats the call. In the 2025 era the call waits instead. */
  readonly isAskedByResults: boolean;
  /** Whether it supports resource links and structured content in results. */
  readonly knowsLinks: boolean;
  /** Whether it shows MCP Apps. */
  readonly hasApps: boolean;
  /** Whether it polls for the results of long calls. */
  readonly knowsTasks: boolean;
}

export function abilitiesOf(server: Server, context?: ServerContext): ClientAbilities {
  const envelope: Record<string, unknown> = { ...context?.mcpReq.envelope };
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const { elicitation, extensions } = declared ?? server.getClientCapabilities() ?? {};
  const version = server.getNegotiatedProtocolVersion() ?? firstWithLinks;
  return {
    // In older revisions, elicitation without a kind means forms.
    asks: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    isAskedByResults: context?.mcpReq.envelope !== undefined,
    knowsLinks: version >= firstWithLinks,
    hasApps: showsApps(extensions),
    knowsTasks: knowsTasks(declared),
  };
}

const firstWithLinks = "2025-06-18";
