import { availableParallelism } from "node:os";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import {
  answerKinds,
  type FromThread,
  type ProgramAnswer,
  type ResultField,
  type RunRequest,
  resultFields,
  type ThreadParts,
  type ToThread,
} from "./protocol.ts";
import { Ring } from "./ring.ts";

/** The messages of a thread. It has nothing else to do, so it blocks while it waits for one. */
export class ThreadPort {
  readonly #port: MessagePort;
  readonly #posted: Int32Array;
  readonly #isAsleep: Int32Array;
  readonly #incoming: Ring;
  readonly #outgoing: Ring;
  #run = 0;
  #spins = false;
  /** Answers that arrived while the program waited for a field. */
  #early: ProgramAnswer[] = [];

  constructor({ port, shared }: ThreadParts) {
    this.#port = port;
    this.#posted = shared.posted;
    this.#isAsleep = shared.isAsleep;
    this.#incoming = new Ring(shared.toThread);
    this.#outgoing = new Ring(shared.fromThread);
  }

  send(message: FromThread): void {
    this.#port.postMessage(message);
  }

  /** Waits for a message, but not for long. */
  rest(ms: number): void {
    Atomics.wait(this.#posted, 0, Atomics.load(this.#posted, 0), ms);
  }

  /** Waits for the next program. Answers to the one before may arrive late. */
  program(): RunRequest {
    this.#early = [];
    for (;;) {
      const message = this.#next();
      if (message.kind !== "run") continue;
      this.#run = message.run;
      this.#spins = hasCores;
      return message;
    }
  }

  /** Sends what the program asked for. */
  ask(asks: string): void {
    this.#write([0, 0, 0], asks);
  }

  /** Waits for at least one answer. */
  answers(): readonly ProgramAnswer[] {
    const answers = this.#early;
    this.#early = [];
    while (answers.length === 0) this.#keep(this.#next(), answers);
    for (let more = this.#received(); more !== undefined; more = this.#received()) this.#keep(more, answers);
    return answers;
  }

  /** Returns a field of a result, once: its text, or its data as JSON. */
  take(id: number, field: ResultField): string {
    this.#write([1, id, resultFields.indexOf(field)], "");
    for (;;) {
      const message = this.#next();
      if (message.kind === "field") return message.text;
      this.#keep(message, this.#early);
    }
  }

  #keep(message: ToThread, answers: ProgramAnswer[]): void {
    if (message.kind !== "run" && message.kind !== "field" && message.run === this.#run)
      answers.push(message);
  }

  #write(numbers: readonly [number, number, number], text: string): void {
    if (!this.#outgoing.write(numbers, text)) this.send({ kind: "long", numbers, text });
    else if (Atomics.exchange(this.#isAsleep, 0, 0) === 1) this.send({ kind: "wake" });
  }

  #next(): ToThread {
    for (;;) {
      const seen = Atomics.load(this.#posted, 0);
      const message = this.#received();
      if (message !== undefined) return message;
      this.#spin(seen);
      Atomics.wait(this.#posted, 0, seen);
    }
  }

  /**
   * Looks for a message for a short time, because it takes longer to wake a core than to make most calls. A gap between two
   * looks means that other threads need the processor: then this one no longer spins until the next program.
   */
  #spin(seen: number): void {
    let lookedMs = performance.now();
    const untilMs = this.#spins ? lookedMs + spinMs : 0;
    while (lookedMs < untilMs && Atomics.load(this.#posted, 0) === seen) {
      const nowMs = performance.now();
      if (nowMs - lookedMs > gapMs) this.#spins = false;
      lookedMs = nowMs;
    }
  }

  #received(): ToThread | undefined {
    const short = this.#incoming.read();
    if (short === undefined) return receiveMessageOnPort(this.#port)?.message as ToThread | undefined;
    const [run, id, kind] = short.numbers;
    return { run, id, kind: answerKinds[kind]!, text: short.bytes, isGiven: true, isHeld: true };
  }
}

const spinMs = 0.5;
const gapMs = 0.2;
const hasCores = availableParallelism() > 1;
