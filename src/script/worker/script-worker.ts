import { randomUUID } from "node:crypto";
import { ToolError } from "../../contract/error.ts";
import type { ScriptResult } from "../../contract/script.ts";
import { tooMuchMemory } from "../../workers/channel.ts";
import type { WorkerEnd } from "../../workers/start-worker.ts";
import { type SendBytes, Worker, workerProgram } from "../../workers/worker.ts";
import { tooMuchTime } from "../limits.ts";
import { type CallAnswer, type ScriptRun, stoppedScript } from "../run-script.ts";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";
import { type AnswerHeader, type AskHeader, mostAskBytes, type ScriptService } from "./protocol.ts";

/** A process that runs one program at a time. */
export class ScriptWorker {
  readonly #worker: Worker<ScriptService>;
  readonly #computeMs: number;
  /** Writes to the process that was started last, which runs the current program. */
  #send: SendBytes = async () => {};
  #current: { readonly id: string; readonly run: ScriptRun } | undefined;

  constructor(computeMs: number) {
    this.#computeMs = computeMs;
    this.#worker = new Worker({
      program: workerProgram("script-worker", import.meta.url),
      args: [],
      // The engine's own limit of its stack must be reached before that of the process.
      flags: ["--stack-size=3900", "--max-old-space-size=256"],
      failures: { tooSlow: () => stoppedScript("time"), crashed },
      concurrency: 1,
      openPipe: (send) => {
        this.#send = send;
        const frames = new FrameReader(mostAskBytes);
        return (chunk) => {
          for (const frame of frames.push(chunk)) this.#receive(frame, send);
        };
      },
    });
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  async run(program: string, run: ScriptRun, signal: AbortSignal): Promise<ScriptResult> {
    const id = randomUUID();
    this.#current = { id, run };
    // A program that waits for its calls does not see messages.
    const cancel = () => this.#send(encodeFrame({ run: id, kind: "cancel" } satisfies AnswerHeader, ""));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const request = { program, computeMs: this.#computeMs, run: id };
      return run.result(await this.#worker.ask("run", () => request, { about: "the script", signal }));
    } finally {
      signal.removeEventListener("abort", cancel);
      await run.end();
      this.#current = undefined;
    }
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  /** Makes the calls of a frame. Everything in it may be made up by the program. */
  #receive({ header, body }: Frame, send: SendBytes): void {
    const { run } = header as Record<keyof AskHeader, unknown>;
    // A cancelled program may still make calls when the next one waits for its process.
    if (this.#current === undefined || this.#current.id !== run) return;
    for (const line of body.toString("utf8").split("\n").slice(0, -1)) {
      const [id, kind, name, input = ""] = line.split("\t");
      const to = { run: this.#current.id, id: Number(id) };
      const deliver = (answer: CallAnswer) => send(toFrame(to, answer));
      const given: unknown = JSON.parse(name ?? "");
      const work =
        kind === '"help"'
          ? this.#current.run.help(given, deliver)
          : this.#current.run.call(given, input, deliver);
      // A call that was cancelled has no answer: its program has ended.
      work.catch(() => {});
    }
  }
}

function toFrame(to: { readonly run: string; readonly id: number }, answer: CallAnswer): Buffer {
  const { kind } = answer;
  if (kind === "help") return encodeFrame({ ...to, kind } satisfies AnswerHeader, answer.text);
  if (kind === "error")
    return encodeFrame({ ...to, kind } satisfies AnswerHeader, JSON.stringify(answer.error));
  const { text, data, failed } = answer;
  const header = { ...to, kind, textBytes: Buffer.byteLength(text), failed } satisfies AnswerHeader;
  return encodeFrame(header, text, data);
}

function crashed(_: string, { how, stderrTail }: WorkerEnd): ToolError {
  if (how === tooMuchTime) return stoppedScript("time");
  // V8 aborts (SIGABRT) when the heap limit is reached.
  if (how === tooMuchMemory || how === "SIGABRT") return stoppedScript("memory");
  return new ToolError("unavailable", `The engine of scripts crashed (${how})`, {
    hint: "Simplify the program, or call the tools one by one.",
    cause: stderrTail,
  });
}
