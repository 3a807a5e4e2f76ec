import { deserialize } from "node:v8";
import { ToolError } from "../../contract/error.ts";
import { readBlocking, writeBlocking } from "../../system/blocking-pipe.ts";
import { encodeFrame, type FrameReader } from "./frames.ts";
import type { SettleHead } from "./prelude.ts";
import { type AnswerHeader, type AskHeader, callPipe } from "./protocol.ts";

/** The answer to a call of the program. */
export type PipeAnswer = SettleHead & { readonly text: string };

/**
 * The calls of one program, seen from its worker. The requests of a program are sent when it waits, in one piece. Results stay
 * here as bytes until the program reads them, because most of their content is never read.
 */
export class CallPipe {
  readonly #run: string;
  readonly #frames: FrameReader;
  readonly #held = new Map<number, HeldResult>();
  #heldBytes = 0;

  /** `frames` belongs to the process: a frame may begin in the run before. */
  constructor(run: string, frames: FrameReader) {
    this.#run = run;
    this.#frames = frames;
  }

  /** Sends what the program asked for, and waits for at least one answer. Throws when the program is cancelled. */
  ask(asks: string): readonly PipeAnswer[] {
    if (asks !== "") writeBlocking(callPipe, encodeFrame({ run: this.#run } satisfies AskHeader, asks));
    for (;;) {
      const answers: PipeAnswer[] = [];
      for (const { header, body } of this.#frames.push(received())) {
        const answer = header as AnswerHeader;
        // Answers to the run before may arrive late.
        if (answer.run !== this.#run) continue;
        if (answer.kind === "cancel") throw cancelled();
        answers.push(this.#received(answer, body));
      }
      if (answers.length > 0) return answers;
    }
  }

  /** Returns a field of a held result, once: its text, or its data as JSON. */
  take(id: number, field: "text" | "data"): string {
    const held = this.#held.get(id);
    const bytes = held?.[field];
    if (held === undefined || bytes === undefined) return "null";
    this.#heldBytes -= bytes.length;
    held[field] = undefined;
    if (held.text === undefined && held.data === undefined) this.#held.delete(id);
    return field === "text" ? bytes.toString("utf8") : (JSON.stringify(deserialize(bytes)) ?? "null");
  }

  #received(answer: Exclude<AnswerHeader, { kind: "cancel" }>, body: Buffer): PipeAnswer {
    const { id, kind } = answer;
    if (kind !== "result") return { id, kind, text: body.toString("utf8") };
    const { textBytes, failed } = answer;
    const isShort = textBytes <= shortTextBytes;
    const held = {
      text: isShort ? undefined : compact(body.subarray(0, textBytes)),
      data: compact(body.subarray(textBytes)),
    };
    this.#held.set(id, held);
    this.#heldBytes += held.data.length + (held.text?.length ?? 0);
    const text = isShort ? body.toString("utf8", 0, textBytes) : "";
    return { id, kind, failed, text, isGiven: isShort, isHeld: this.#heldBytes <= mostHeldBytes };
  }
}

interface HeldResult {
  text: Buffer | undefined;
  data: Buffer | undefined;
}

/** Asking for a text of this length takes longer than passing it on. */
const shortTextBytes = 16_000;

/** Above this, results go into the memory of the program, whose limit then counts them. */
const mostHeldBytes = 64 * 1024 * 1024;

/** Returns the same bytes. A part of a buffer keeps the whole in memory, so a small part is copied. */
function compact(part: Buffer): Buffer {
  return 2 * part.length < part.buffer.byteLength ? Buffer.from(part) : part;
}

/** Waits for bytes of the parent. */
function received(): Buffer {
  const bytes = readBlocking(callPipe);
  if (bytes.length === 0) throw cancelled();
  return bytes;
}

function cancelled(): ToolError {
  return new ToolError("cancelled", "The script was cancelled");
}
