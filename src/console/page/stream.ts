import { batch } from "@preact/signals";
import type { CallSummary, ConsoleEvent, LiveEvent, Overview } from "../api.ts";
import { address, get, login, RequestError } from "./request.ts";
import { connection, overview, streams, toastError } from "./store.ts";

/**
 * The event stream of this tab. A browser opens only six connections to a server, so a hidden tab closes its stream, except
 * one of them: it holds the lock, notifies the user, and sends the overview to the others, whose titles count the questions.
 */
let stream: EventSource | null = null;
let streamOf: string | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;

type SessionEvent = Extract<ConsoleEvent, { type: "session" }>;
const callListeners = new Set<(calls: readonly CallSummary[]) => void>();
const liveListeners = new Set<(event: SessionEvent) => void>();

/** Calls back for calls that began or ended. Returns the end of the subscription. */
export function onCalls(listener: (calls: readonly CallSummary[]) => void): () => void {
  callListeners.add(listener);
  return () => callListeners.delete(listener);
}

/** Calls back for what a session does now, and makes the stream send it. */
export function followSession(workspace: string, session: string, listener: (live: LiveEvent) => void) {
  const own = (event: SessionEvent) => {
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
  document.addEventListener("visibilitychange", shareStreams);
  shareStreams();
}

function openStream(session: string | null): void {
  if (stream !== null && session === streamOf && stream.readyState !== EventSource.CLOSED) return;
  const isResting = stream === null && document.hidden && !hasLock;
  closeStream();
  streamOf = session;
  if (isResting) return;
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

function closeStream(): void {
  stream?.close();
  stream = null;
  clearTimeout(retry);
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
  if (event.type === "overview") {
    overview.value = event.overview;
    tabs.postMessage(event.overview);
  } else if (event.type === "calls") for (const listener of callListeners) listener(event.calls);
  else if (event.type === "session") for (const listener of liveListeners) listener(event);
  else streams.value += 1;
}

const tabs = new BroadcastChannel("toolcrib.overview");
tabs.onmessage = ({ data }) => {
  if (stream === null) overview.value = data as Overview;
};

/** How long a tab is hidden before it closes its stream: users switch back and forth. */
const graceMs = 1_000;
let closing: ReturnType<typeof setTimeout> | undefined;
let hiding: AbortController | undefined;
let hasLock = false;
let endShowing = () => {};

/** Whether this is the one hidden tab that follows the events. */
export function followsForAll(): boolean {
  return document.hidden && hasLock;
}

/** Every visible tab holds it. */
const visibleLock = "toolcrib.visible";

/** Returns whether a tab or window of this browser shows the console now. */
export async function isShownSomewhere(): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === visibleLock);
}

function shareStreams(): void {
  clearTimeout(closing);
  hiding?.abort();
  hasLock = false;
  endShowing();
  if (!document.hidden) {
    const shown = new Promise<void>((resolve) => (endShowing = resolve));
    void navigator.locks.request(visibleLock, { mode: "shared" }, () => shown);
    openStream(streamOf);
    return;
  }
  hiding = new AbortController();
  const { signal } = hiding;
  closing = setTimeout(() => {
    if (!hasLock) closeStream();
  }, graceMs);
  const lead = () => {
    hasLock = true;
    openStream(streamOf);
    return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  // Rejects when the tab is shown before it gets the lock.
  navigator.locks.request("toolcrib.stream", { signal }, lead).catch(() => {});
}
