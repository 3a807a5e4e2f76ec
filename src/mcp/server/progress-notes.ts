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

/** Tells a client that asked for it how far a call is: what it says of itself, and the last line of its output. */
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
    const message = event.type === "progress" ? event.message : event.type === "output" ? event.text : "";
    const line = lastLine(message);
    if (line === "" || this.#ended) return;
    this.#message = line;
    // The first at once; a command that says much is not worth a message for each line.
    if (this.#timer === undefined) this.#send();
  };

  /** Nothing may follow the answer. */
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

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1)!.trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
