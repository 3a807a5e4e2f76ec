import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  type InputRequest,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { Listeners } from "../../lib/async/listeners.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { CallEvent } from "../../toolcrib/index.ts";
import { progressLine } from "./progress-notes.ts";

/** The extension of the protocol by which clients poll for the results of long calls. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** How a client answers a form. */
export interface FormAnswer {
  readonly action: string;
  readonly content?: Record<string, unknown> | undefined;
}

interface TaskOwner {
  /** Cancels the call while it is not a task. A task outlives its request. */
  readonly signal: AbortSignal;
  /** Whether the request may only read. Such requests do not reach the tasks of others. */
  readonly isReadOnly: boolean;
}

/**
 * The tasks of a served instance. A task is a call that takes long: its client has got a task id in place of the result,
 * and polls. It outlives its request: it runs until it ends, is cancelled, or the instance closes.
 */
export class Tasks {
  readonly #afterMs: number;
  readonly #listeners = new Listeners<Task>();
  readonly #running = new Map<string, Task>();
  /** Results that clients may still fetch. */
  readonly #ended = new BoundedCache<string, Task>({
    maxEntries: maxEnded,
    maxWeight: maxStoredChars,
    weigh: ({ chars }) => chars,
    keepsNewest: true,
  });

  constructor(afterMs = 2_000) {
    this.#afterMs = afterMs;
  }

  /** Runs a call. Returns its result, or a task when it takes long and not too many tasks are running. */
  async run<Result extends object>(
    call: (task: Task) => Promise<Result>,
    { signal, isReadOnly }: TaskOwner,
  ): Promise<Result | CreatedTask> {
    const task = new Task(isReadOnly, () => this.#listeners.emit(task));
    const cancel = () => task.cancel();
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const created = Promise.withResolvers<CreatedTask>();
    const timer = setTimeout(() => {
      if (this.#running.size >= maxRunning || !task.begin()) return;
      signal.removeEventListener("abort", cancel);
      this.#running.set(task.id, task);
      created.resolve({ ...task.describe(), resultType: "task" });
    }, this.#afterMs);
    const end = async () => {
      try {
        const result = await call(task);
        task.complete(result);
        return result;
      } catch (error) {
        task.fail(error);
        throw error;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        if (this.#running.delete(task.id)) this.#keep(task);
      }
    };
    const ended = end();
    // The task has the error of a call that fails later.
    ended.catch(() => {});
    return Promise.race([ended, created.promise]);
  }

  /** Returns a task of this caller. Throws the same error for tasks that never existed, have expired, or are of others. */
  find(id: string, isReadOnly: boolean): Task {
    const task = this.get(id, isReadOnly);
    if (task === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "Task not found: it has expired or never existed",
      );
    return task;
  }

  /** Like `find`, but returns undefined. */
  get(id: string, isReadOnly: boolean): Task | undefined {
    const task = this.#running.get(id) ?? this.#ended.get(id);
    return task !== undefined && isReadOnly && !task.isReadOnly ? undefined : task;
  }

  /** Calls `listener` after each change of a task's status. Returns a function that removes it. */
  onChange(listener: (task: Task) => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Cancels the running calls and deletes all results. */
  close(): void {
    for (const task of this.#running.values()) task.cancel();
    this.#ended.clear();
    this.#listeners.clear();
  }

  #keep(task: Task): void {
    this.#ended.set(task.id, task);
    setTimeout(() => this.#ended.delete(task.id), keepMs).unref();
  }
}

const maxRunning = 32;
const maxEnded = 200;
const maxStoredChars = 32 * 1024 * 1024;
/** How long a result can be fetched after the call has ended. */
const keepMs = 10 * 60_000;
const pollIntervalMs = 1_000;

type TaskState =
  /** Not a task yet. The call may still become one. */
  | { readonly status: "new" }
  /** The call will not become a task, because it has asked or ended before. */
  | { readonly status: "settled" }
  | { readonly status: "working" }
  | { readonly status: "input_required"; readonly inputRequests: Readonly<Record<string, InputRequest>> }
  | { readonly status: "completed"; readonly result: object }
  | { readonly status: "failed"; readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: "cancelled" };

interface CreatedTask {
  readonly resultType: "task";
  readonly taskId: string;
}

/** A call that is, or may become, a task. */
export class Task {
  readonly id: string = randomUUID();
  readonly isReadOnly: boolean;
  readonly #changed: () => void;
  readonly #controller = new AbortController();
  readonly #startedMs = monotonicMs();
  readonly #createdAt = new Date().toISOString();
  #updatedAt = this.#createdAt;
  #state: TaskState = { status: "new" };
  #endedMs: number | undefined;
  #message: string | undefined;
  #chars = 0;
  #questions = 0;
  #answer: ((answer: FormAnswer) => void) | undefined;

  /** `changed` is called after each change of the status. */
  constructor(isReadOnly: boolean, changed: () => void) {
    this.isReadOnly = isReadOnly;
    this.#changed = changed;
  }

  /** Aborts when the call is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the client has got the task in place of the result. */
  get isTask(): boolean {
    return this.#state.status !== "new" && this.#state.status !== "settled";
  }

  get hasEnded(): boolean {
    return this.#endedMs !== undefined;
  }

  /** The length of the stored result. */
  get chars(): number {
    return this.#chars;
  }

  /** Makes the call a task. Returns false when its answer is already on its way. */
  begin(): boolean {
    if (this.#state.status !== "new") return false;
    this.#become({ status: "working" });
    return true;
  }

  /** Returns whether the call is a task. If not, it does not become one any more. */
  settle(): boolean {
    if (this.#state.status === "new") this.#state = { status: "settled" };
    return this.isTask;
  }

  /** Shows the last line of output or progress as the status message. */
  hear(event: CallEvent): void {
    this.#message = progressLine(event) ?? this.#message;
  }

  /** Asks the client, which sees the question when it polls. A question that is not answered in time is cancelled. */
  async ask(question: InputRequest, patienceMs: number): Promise<FormAnswer> {
    const { promise, resolve } = Promise.withResolvers<FormAnswer>();
    const giveUp = () => resolve({ action: "cancel" });
    const timer = setTimeout(giveUp, patienceMs).unref();
    this.signal.addEventListener("abort", giveUp, { once: true });
    if (this.signal.aborted) giveUp();
    this.#questions += 1;
    this.#answer = resolve;
    // A key is never used again: a late answer must not count for a later question.
    this.#become({ status: "input_required", inputRequests: { [this.#key]: question } });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", giveUp);
      this.#answer = undefined;
      this.#become({ status: "working" });
    }
  }

  /** Takes the answer to the open question. Ignores all others, as the specification says. */
  answer(responses: Parameters<typeof inputResponse>[0]): void {
    const view = inputResponse(responses, this.#key);
    if (view.kind === "elicit") this.#answer?.(view);
  }

  cancel(): void {
    this.#controller.abort();
  }

  /** A call that was cancelled too late has a result nevertheless. */
  complete(result: object): void {
    if (!this.settle()) return;
    this.#chars = JSON.stringify(result).length;
    const isCancelled = this.signal.aborted && (result as CallToolResult).isError === true;
    this.#end(
      isCancelled
        ? { status: "cancelled" }
        : { status: "completed", result: { resultType: "complete", ...result } },
    );
  }

  fail(error: unknown): void {
    if (!this.settle()) return;
    const { message } = error as Error;
    const code = error instanceof ProtocolError ? error.code : ProtocolErrorCode.InternalError;
    this.#end(this.signal.aborted ? { status: "cancelled" } : { status: "failed", error: { code, message } });
  }

  /** Returns the task as clients see it. */
  describe() {
    const isOpen = this.#endedMs === undefined;
    return {
      ...this.#state,
      taskId: this.id,
      ...(isOpen && this.#message !== undefined && { statusMessage: this.#message }),
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#updatedAt,
      // The time limit of the tool ends a running call.
      ttlMs: this.#endedMs === undefined ? null : Math.ceil(this.#endedMs - this.#startedMs) + keepMs,
      pollIntervalMs,
    };
  }

  get #key(): string {
    return `approval-${this.#questions}`;
  }

  #end(state: TaskState): void {
    this.#endedMs = monotonicMs();
    this.#become(state);
  }

  #become(state: TaskState): void {
    this.#state = state;
    this.#updatedAt = new Date().toISOString();
    this.#changed();
  }
}

/** Whether a request declares that its client polls for tasks. Only requests of the 2026 era count. */
export function knowsTasks(capabilities: { readonly extensions?: object } | undefined): boolean {
  return capabilities?.extensions !== undefined && tasksExtension in capabilities.extensions;
}

interface TaskParts {
  readonly tasks: Tasks;
  /** Whether a request comes from a client that polls for tasks. */
  readonly isDeclared: (context: ServerContext) => boolean;
  readonly isReadOnly: (context: ServerContext) => boolean;
}

/** Answers the requests about tasks. */
export function serveTasks(server: Server, { tasks, isDeclared, isReadOnly }: TaskParts): void {
  const find = (id: string, context: ServerContext) => {
    if (!isDeclared(context))
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [tasksExtension]: {} } },
      });
    return tasks.find(id, isReadOnly(context));
  };
  server.setRequestHandler("tasks/get", { params: taskParams }, ({ taskId }, context) => ({
    ...find(taskId, context).describe(),
    resultType: "complete",
  }));
  server.setRequestHandler("tasks/update", { params: taskParams }, ({ taskId }, context) => {
    find(taskId, context).answer(context.mcpReq.inputResponses);
    return { resultType: "complete" };
  });
  server.setRequestHandler("tasks/cancel", { params: taskParams }, ({ taskId }, context) => {
    find(taskId, context).cancel();
    return { resultType: "complete" };
  });
}

const taskParams = z.looseObject({ taskId: z.string() });
