import { batch, computed, signal } from "@preact/signals";
import type { CallSummary, ConsoleEvent, LiveEvent, Overview, PendingQuestion } from "../api.ts";
import { address, get, login, RequestError } from "./request.ts";

/** Null until the first event arrives. */
export const overview = signal<Overview | null>(null);

export type Connection = "connecting" | "open" | "lost" | "signed-out";
export const connection = signal<Connection>("connecting");

/** Grows whenever the event stream opens; what was loaded before may be out of date. */
export const streams = signal(0);

/** Questions that this page has answered; the server needs a moment to leave them out. */
export const answered = signal<ReadonlySet<string>>(new Set());

export const questions = computed<readonly PendingQuestion[]>(
  () =>
    overview.value?.approvals.filter(
      (question) => !question.isAnswered && !answered.value.has(keyOfQuestion(question)),
    ) ?? [],
);

/** Differs when the same call asks again later: its id is the same then. */
export function keyOfQuestion({ workspace, id, askedAt }: PendingQuestion): string {
  return `${workspace} ${id} ${askedAt}`;
}

/** The messages that appear for a moment, with an optional button. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "info" | "error";
  readonly action?: { readonly label: string; readonly run: () => void };
}
export const toasts = signal<readonly Toast[]>([]);
let lastToast = 0;

export function toast(text: string, options: Partial<Pick<Toast, "kind" | "action">> = {}): void {
  const id = ++lastToast;
  toasts.value = [...toasts.value.slice(-3), { id, text, kind: "info", ...options }];
  setTimeout(() => dismiss(id), options.action || options.kind === "error" ? 12_000 : 5_000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
}

export function toastError(error: unknown): void {
  const hint = error instanceof RequestError && error.hint !== null ? ` ${error.hint}` : "";
  toast(`${error instanceof Error ? error.message : String(error)}${hint}`, { kind: "error" });
}

const callListeners = new Set<(calls: readonly CallSummary[]) => void>();
const liveListeners = new Set<(event: Extract<ConsoleEvent, { type: "session" }>) => void>();

/** Calls back for calls that began or ended. Returns the end of the subscription. */
export function onCalls(listener: (calls: readonly CallSummary[]) => void): () => void {
  callListeners.add(listener);
  return () => callListeners.delete(listener);
}

/** Calls back for what a session does now, and makes the stream send it. */
export function followSession(workspace: string, session: string, listener: (live: LiveEvent) => void) {
  const own = (event: Extract<ConsoleEvent, { type: "session" }>) => {
    if (event.workspace === workspace && event.session === session) listener(event.live);
  };
  liveListeners.add(own);
  openStream(`${workspace}/${session}`);
  return () => {
    liveListeners.delete(own);
    if (liveListeners.size === 0) openStream(null);
  };
}

/** Signs in with the one-time code of the address, if it has one, and follows the events. */
export async function start(): Promise<void> {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    // The address must not show it any longer, nor the history keep it.
    history.replaceState(null, "", "#/now");
    await login(decodeURIComponent(code)).catch(toastError);
  }
  openStream(null);
}

let stream: EventSource | null = null;
let streamOf: string | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;

function openStream(session: string | null): void {
  if (stream !== null && session === streamOf && stream.readyState !== EventSource.CLOSED) return;
  stream?.close();
  clearTimeout(retry);
  streamOf = session;
  const source = new EventSource(
    address(session === null ? "/api/events" : `/api/events?session=${encodeURIComponent(session)}`),
  );
  stream = source;
  source.onopen = () => {
    batch(() => {
      connection.value = "open";
      streams.value += 1;
    });
  };
  source.onmessage = (message) => receive(JSON.parse(message.data) as ConsoleEvent);
  source.onerror = () => {
    if (stream !== source) return;
    if (connection.value !== "signed-out") connection.value = "lost";
    // A browser repeats a stream that broke, not one that was refused.
    if (source.readyState === EventSource.CLOSED) retry = setTimeout(() => void reopen(), 2_000);
  };
}

/** Finds out why the stream was refused. A signed-out page stops asking. */
async function reopen(): Promise<void> {
  try {
    overview.value = await get<Overview>("/api/overview");
    openStream(streamOf);
  } catch (error) {
    if (error instanceof RequestError && error.status === 401) connection.value = "signed-out";
    else retry = setTimeout(() => void reopen(), 2_000);
  }
}

function receive(event: ConsoleEvent): void {
  if (event.type === "overview") overview.value = event.overview;
  else if (event.type === "calls") for (const listener of callListeners) listener(event.calls);
  else if (event.type === "session") for (const listener of liveListeners) listener(event);
  else streams.value += 1;
}
