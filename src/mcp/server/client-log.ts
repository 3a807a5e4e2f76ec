import { LOG_LEVEL_META_KEY, type LoggingLevel, type ServerContext } from "@modelcontextprotocol/server";
import { monotonicMs } from "../../lib/clock.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { CallEvent, CallResult } from "../../toolcrib/index.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

/** A message for the client's log: an event and what it is about. It never has the arguments or the output of a call. */
interface LogMessage {
  readonly event: string;
  readonly tool?: string;
  readonly call?: string;
  readonly [fact: string]: string | number | undefined;
}

type Notify = (notification: {
  readonly method: "notifications/message";
  readonly params: { readonly level: LoggingLevel; readonly logger: string; readonly data: unknown };
}) => Promise<void>;

/** Which log messages a client gets, and how many. */
export class ClientLog {
  #level: LoggingLevel = "warning";
  #sinceMs = 0;
  #sent = 0;
  #omitted = 0;

  /** Sets the level of a client of the 2025 era. */
  setLevel(level: LoggingLevel): void {
    this.#level = level;
  }

  /**
   * Returns the log of one call. The level is that of the session in the 2025 era, and that of the request later: without
   * one, the client wants no messages.
   */
  ofCall(notify: Notify, context?: ServerContext): CallLog | undefined {
    const envelope: Record<string, unknown> | undefined = context?.mcpReq.envelope;
    const level = envelope === undefined ? this.#level : envelope[LOG_LEVEL_META_KEY];
    return isLevel(level) ? new CallLog(this, level, notify) : undefined;
  }

  /** Counts a message. Returns how many were left out before it; undefined when this one is left out, too. */
  admit(): number | undefined {
    const now = monotonicMs();
    if (now - this.#sinceMs > periodMs) {
      this.#sinceMs = now;
      this.#sent = 0;
    }
    this.#sent += 1;
    if (this.#sent > maxPerPeriod) {
      this.#omitted += 1;
      return undefined;
    }
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }
}

const periodMs = 10_000;
const maxPerPeriod = 100;
const maxChars = 500;

const levels: readonly LoggingLevel[] = [
  ...(["debug", "info", "notice", "warning"] as const),
  ...(["error", "critical", "alert", "emergency"] as const),
];

function isLevel(value: unknown): value is LoggingLevel {
  return levels.includes(value as LoggingLevel);
}

/** Writes messages about one call at the level that the client wants. Never fails. */
export class CallLog {
  readonly #log: ClientLog;
  readonly #level: LoggingLevel;
  readonly #notify: Notify;
  #sent: Promise<void> = Promise.resolve();

  constructor(log: ClientLog, level: LoggingLevel, notify: Notify) {
    this.#log = log;
    this.#level = level;
    this.#notify = notify;
  }

  wants(level: LoggingLevel): boolean {
    return levels.indexOf(level) >= levels.indexOf(this.#level);
  }

  write(level: LoggingLevel, message: LogMessage): void {
    if (!this.wants(level)) return;
    this.#sent = this.#sent.then(() => this.#send(level, message)).catch(() => {});
  }

  /** Resolves when all messages are sent. Those of a request must come before its response. */
  flush(): Promise<void> {
    return this.#sent;
  }

  /** Hears the events of a call whose client wants to follow it. */
  readonly hear = (event: CallEvent): void => {
    const about = { tool: event.canonical, call: event.callId };
    if (event.type === "tool-start") this.write("debug", { event: "call started", ...about });
    else if (event.type === "tool-progress")
      this.write("info", { event: "progress", ...about, message: event.message });
    else if (event.type === "tool-end") {
      const outcome = event.error?.code ?? (event.isError ? "failed" : "ok");
      this.write("debug", { event: "call ended", ...about, outcome, durationMs: event.durationMs });
    }
  };

  /** Writes why a call did not run or was cut short, and the warnings that have come up until now. */
  async end(tool: string, result: CallResult, served: ServedToolcrib): Promise<void> {
    const { error, callId: call, output } = result;
    const about = { tool: await served.canonicalName(tool), call };
    const reason = error?.message;
    if (error?.code === "internal") this.write("error", { event: "internal error", ...about, reason });
    if (error?.code === "denied") this.write("warning", { event: "denied", ...about, reason });
    if (error?.code === "timeout") this.write("warning", { event: "time limit", ...about, reason });
    if (error?.code === "needs-approval")
      this.write("warning", { event: "approval needed", ...about, reason, hint: error.hint ?? undefined });
    if (output !== null) this.write("info", { event: "output cut", ...about, output });
    if (this.wants("warning"))
      for (const message of await served.takeWarnings(about.tool))
        this.write("warning", { event: "warning", message });
    await this.flush();
  }

  async #send(level: LoggingLevel, message: LogMessage): Promise<void> {
    const omitted = this.#log.admit();
    if (omitted === undefined) return;
    // Reasons quote parts of commands. The journal has loaded this module already.
    const { redactValue } = await import("../../toolcrib/workspace-journal.ts");
    const cleaned = Object.entries(message).map(([name, value]) => [
      name,
      typeof value === "string" ? printableLine(redactValue(value)).slice(0, maxChars) : value,
    ]);
    const data = { ...Object.fromEntries(cleaned), ...(omitted > 0 && { omitted }) };
    await this.#notify({ method: "notifications/message", params: { level, logger: "toolcrib", data } });
  }
}
