import type { Reading } from "../contract/code.ts";
import { type ErrorCode, ToolError } from "../contract/error.ts";

export type ServiceOf<Names> = {
  readonly [Name in keyof Names]: (input: never, options: Reading) => unknown;
};

export type InputOf<Question> = Question extends (input: infer Input, ...rest: never[]) => unknown
  ? Input
  : never;
export type AnswerOf<Question> = Question extends (...given: never[]) => infer Answer
  ? Awaited<Answer>
  : never;

type Message =
  | { readonly ask: number; readonly name: string; readonly input: unknown }
  | { readonly cancel: number }
  | { readonly answer: number; readonly value: unknown }
  | { readonly failure: number; readonly error: SentError };

interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly stack: string | undefined;
}

type AnyService = Readonly<Record<string, (input: never, options: Reading) => unknown>>;

/** Exchanges requests and answers in both directions between two processes. */
export class Channel<Theirs extends ServiceOf<Theirs>> {
  readonly #send: (message: unknown) => void;
  readonly #ours: AnyService | Promise<AnyService>;
  readonly #waiting = new Map<number, Omit<PromiseWithResolvers<unknown>, "promise">>();
  readonly #answering = new Map<number, AbortController>();
  #last = 0;

  constructor(send: (message: unknown) => void, ours: object | Promise<object>) {
    this.#send = send;
    this.#ours = ours as AnyService | Promise<AnyService>;
  }

  /** Sends a request. Rejects with the ToolError that the other side threw. When cancelled, waits for the other side. */
  async ask<Name extends keyof Theirs & string>(
    name: Name,
    input: InputOf<Theirs[Name]>,
    { signal }: Reading,
  ): Promise<AnswerOf<Theirs[Name]>> {
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const cancel = () => this.#send({ cancel: id } satisfies Message);
    this.#waiting.set(id, { resolve, reject });
    signal.addEventListener("abort", cancel, { once: true });
    try {
      this.#send({ ask: id, name, input } satisfies Message);
      if (signal.aborted) cancel();
      return (await promise) as AnswerOf<Theirs[Name]>;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#waiting.delete(id);
    }
  }

  receive(received: unknown): void {
    const message = received as Message;
    if ("ask" in message) void this.#answer(message.ask, message.name, message.input);
    else if ("cancel" in message) this.#answering.get(message.cancel)?.abort();
    else if ("answer" in message) this.#waiting.get(message.answer)?.resolve(message.value);
    else this.#waiting.get(message.failure)?.reject(receivedError(message.error));
  }

  end(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    for (const answering of this.#answering.values()) answering.abort();
  }

  async #answer(id: number, name: string, input: unknown): Promise<void> {
    const cancelling = new AbortController();
    this.#answering.set(id, cancelling);
    try {
      const value = await (await this.#ours)[name]!(input as never, { signal: cancelling.signal });
      this.#send({ answer: id, value } satisfies Message);
    } catch (error) {
      this.#send({ failure: id, error: sentError(error) } satisfies Message);
    } finally {
      this.#answering.delete(id);
    }
  }
}

function sentError(error: unknown): SentError {
  if (error instanceof ToolError) {
    const { code, message, hint, stack } = error;
    return { code, message, hint, stack: code === "internal" ? stack : undefined };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: "internal", message, hint: undefined, stack };
}

function receivedError({ code, message, hint, stack }: SentError): ToolError {
  const error = new ToolError(code, message, { hint });
  if (stack !== undefined) error.stack = stack;
  return error;
}

export function closed(): ToolError {
  return new ToolError("unavailable", "This Toolcrib is closed", { hint: "Open a new Toolcrib." });
}

/** The signal for a worker that takes too much memory. Nothing else sends it. */
export const tooMuchMemory = "SIGALRM";
