import type { TokenUsage } from "./model.ts";

/** Why a model gave no reply, grouped by remedy. */
export type ModelErrorCode = (typeof modelErrorCodes)[number];

export const modelErrorCodes = [
  /** The key is missing, wrong, or lacks permission. Never retried. */
  "auth",
  /** No credit left, or a limit that waiting does not lift soon. */
  "quota",
  /** The model or the server does not exist. */
  "not-found",
  /** The content of the request is refused. */
  "bad-request",
  /** The conversation is longer than the context of the model. */
  "overflow",
  /** Too many requests. */
  "rate-limit",
  /** The provider fails: 5xx, overloaded. */
  "server",
  /** No connection, or lost before an answer. */
  "network",
  /** The reply broke off. */
  "cut",
  /** Nothing came for too long. */
  "timeout",
  /** A complete reply with neither text nor calls. */
  "empty",
] as const;

export interface ModelErrorOptions extends ErrorOptions {
  /** How the user can recover. */
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The tokens of the failed reply, when the provider reported them: they are charged, too. */
  readonly usage?: TokenUsage | undefined;
}

/** A model gave no reply, or not a complete one. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly usage: TokenUsage | undefined;

  constructor(kind: ModelErrorCode, message: string, options: ModelErrorOptions = {}) {
    super(message, options);
    this.code = kind;
    this.hint = options.hint;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.usage = options.usage;
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return !permanent.has(this.code);
  }
}

const permanent: ReadonlySet<ModelErrorCode> = new Set([
  ...(["auth", "quota", "not-found", "bad-request", "overflow"] as const),
]);
