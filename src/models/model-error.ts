/** Why a model gave no reply, by what can be done about it. */
export type ModelErrorKind = (typeof modelErrorKinds)[number];

export const modelErrorKinds = [
  /** The key is missing, wrong, or not allowed this: at once, never again. */
  "auth",
  /** Paid out, or a limit that waiting does not lift soon. */
  "quota",
  /** There is no such model, or no such server. */
  "not-found",
  /** The request is refused for what it holds. */
  "bad-request",
  /** The conversation is longer than the model reads. */
  "overflow",
  /** Too many requests; wait. */
  "rate-limit",
  /** The provider has trouble: 5xx, overloaded. */
  "server",
  /** Nobody there, connection lost before an answer. */
  "network",
  /** The reply broke off, or ended without saying that it has. */
  "cut",
  /** Nothing came for too long. */
  "timeout",
  /** It came whole, and has neither words nor calls. */
  "empty",
] as const;

export interface ModelErrorOptions extends ErrorOptions {
  /** The way out, for a person. */
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  /** How long the provider asks us to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** A model gave no reply, or not a whole one. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ModelErrorKind, message: string, options: ModelErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.hint = options.hint;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whether the same request may succeed a little later. */
  get isPassing(): boolean {
    return passing.has(this.kind);
  }
}

const passing: ReadonlySet<ModelErrorKind> = new Set([
  "rate-limit",
  "server",
  "network",
  "cut",
  "timeout",
  "empty",
]);
