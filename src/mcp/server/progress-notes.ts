import type { ProgressToken } from "@modelcontextprotocol/server";
import type { CallEvent } from "../../toolcrib/index.ts";

type Notify = (notification: {
  readonly method: "notifications/progress";
  readonly params: {
    readonly progressToken: ProgressToken;
    readonly progress: number;
    readonly message: string;
  };
}) => Promise<void>;

/** Sends progress notifications: progress messages, and the last line of the output. */
export class ProgressNotes {
  readonly #notify: Notify;
  readonly #token: ProgressToken;
  #count = 0;
  #message: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(notify: Notify, token: ProgressToken) {
    this.#notify = notify;
    this.#token = token;
  }

  readonly hear = (event: CallEvent): void => {
    const line = progressLine(event);
    if (line === undefined || this.#ended) return;
    this.#message = line;
    // The first is sent at once, later ones at most every `pauseMs`.
    if (this.#timer === undefined) this.#send();
  };

  /** Ensures that no notification follows the result. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #send(): void {
    this.#timer = undefined;
    if (this.#message === undefined) return;
    const message = this.#message;
    this.#message = undefined;
    this.#count += 1;
    this.#timer = setTimeout(() => this.#send(), pauseMs);
    const params = { progressToken: this.#token, progress: this.#count, message };
    this.#notify({ method: "notifications/progress", params }).catch(() => {});
  }
}

const pauseMs = 100;
const maxChars = 200;

/** Returns the message, or the last line of the output, of an event; undefined when it has none. */
export function progressLine(event: CallEvent): string | undefined {
  const { message } =
    event.type === "tool-progress" ? event : { message: event.type === "tool-output" ? event.text : "" };
  const line = message.trimEnd().split("\n").at(-1)!.trim();
  if (line === "") return undefined;
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
