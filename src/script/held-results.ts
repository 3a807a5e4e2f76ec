import { limits } from "./limits.ts";
import type { ProgramAnswer, ResultField } from "./thread/protocol.ts";

/** The result of a call of a program. */
export interface CallOutput {
  readonly text: string;
  readonly data: unknown;
  readonly failed: string | undefined;
}

/** The results of a program that it has not read. They stay here, because most of their content is never read. */
export class HeldResults {
  readonly #held = new Map<number, Partial<CallOutput>>();
  #bytes = 0;

  /**
   * Keeps the result of the call with this number. Returns what the program gets at once, or undefined when the results that it
   * has not read are too large together: a program that computes does not read them.
   */
  keep(
    id: number,
    { text, data, failed }: CallOutput,
    dataBytes: number,
  ): Omit<ProgramAnswer, "run" | "id"> | undefined {
    const isGiven = text.length <= shortText;
    const bytes = dataBytes + (isGiven ? 0 : text.length);
    if (this.#bytes + bytes > limits.unreadBytes) return undefined;
    this.#held.set(id, isGiven ? { data } : { data, text });
    this.#bytes += bytes;
    const isHeld = this.#bytes <= mostHeldBytes;
    return { kind: "result", text: isGiven ? text : "", failed, isGiven, isHeld };
  }

  /** Returns a field of a result, once: its text, or its data as JSON. */
  take(id: number, field: ResultField): string {
    const { [field]: value, ...rest } = this.#held.get(id) ?? {};
    if (value !== undefined) this.#bytes -= estimateBytes(value);
    if (Object.keys(rest).length === 0) this.#held.delete(id);
    else this.#held.set(id, rest);
    return field === "text" ? String(value ?? "") : (JSON.stringify(value) ?? "null");
  }
}

/** Asking for a text of this length takes longer than passing it on. */
const shortText = 16_000;

/** Above this, results go into the memory of the program, whose limit then counts them. */
const mostHeldBytes = 64 * 1024 * 1024;

/** Estimates the size of data. Stops counting above `most`. Values that are computed when they are read, such as hashes, are short. */
export function estimateBytes(value: unknown, most: number = Number.POSITIVE_INFINITY): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = 16;
  const add = (part: unknown) => {
    bytes += 8 + estimateBytes(part, most - bytes);
    return bytes <= most;
  };
  if (Array.isArray(value)) value.every(add);
  else Object.keys(value).every((key) => add(Object.getOwnPropertyDescriptor(value, key)?.value));
  return bytes;
}
