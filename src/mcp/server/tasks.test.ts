import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import {
  type HttpHandler,
  type HttpHandlerOptions,
  newHttpHandler,
  type RequestFacts,
} from "./http/new-handler.ts";
import { serveStdio } from "./serve-stdio.ts";
import { Tasks, tasksExtension } from "./tasks.ts";

const withTasks = { extensions: { [tasksExtension]: {} } };
const patience = { timeout: 60_000 };

/** A tool that runs until it is released or cancelled. */
class HeldTool {
  readonly released = Promise.withResolvers<void>();
  readonly cancelled = vi.fn();
  running = 0;
  readonly tool: AnyTool = {
    name: "held",
    description: "Runs until it is released.",
    risk: "read",
    input: z.looseObject({}),
    limits: { maxChars: 1_000, keep: "both" },
    accesses: () => [],
    run: async (_input, { signal, progress }) => {
      this.running += 1;
      progress("one of two\nhalf done");
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => {
        this.cancelled();
        aborted.reject(signal.reason);
      });
      await Promise.race([this.released.promise, aborted.promise]);
      return { data: {}, text: "all done" };
    },
  };
}

let folder: ReturnType<typeof temporaryFolder>;
let held: HeldTool;
let handler: HttpHandler;

/** Serves instances whose calls become tasks as soon as possible. */
function serve(options: Partial<HttpHandlerOptions> = {}): void {
  const open = async () =>
    openToolcrib({
      workspace: join(folder.path, "work"),
      tools: [held.tool],
      mode: "safe",
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
    });
  handler = newHttpHandler({ taskAfterMs: 1, open, ...options });
  opened = open;
}
let opened: () => ReturnType<typeof openToolcrib>;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, "work"));
  writeFileSync(join(folder.path, "work", "a.txt"), "one\n");
  held = new HeldTool();
});

afterEach(async () => {
  await handler.close();
  await folder[Symbol.asyncDispose]();
});

interface Sending extends RequestFacts {
  readonly capabilities?: object;
  readonly signal?: AbortSignal;
}

interface Reply {
  readonly result?: Record<string, unknown> & { readonly taskId: string };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A request as a client of the 2026 era sends it. The SDK's client refuses tasks. */
function requestOf(
  method: string,
  params: Record<string, unknown>,
  { capabilities = withTasks, signal }: Sending = {},
): Request {
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": `${params.name ?? params.taskId}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    }),
    ...(signal && { signal }),
  });
}

async function send(
  method: string,
  params: Record<string, unknown>,
  { tenant = "ada", capabilities, signal, ...facts }: Sending = {},
): Promise<Reply> {
  const request = requestOf(method, params, {
    ...(capabilities && { capabilities }),
    ...(signal && { signal }),
  });
  const text = await (await handler.fetch(request, { tenant, ...facts })).text();
  const [, event = text] = /^data: (\{.*)$/m.exec(text) ?? [];
  return JSON.parse(event);
}

const call = (name: string, input: object = {}, sending?: Sending) =>
  send("tools/call", { name, arguments: input }, sending);

/** Starts a call that becomes a task and returns the id of the task. */
async function startTask(sending?: Sending): Promise<string> {
  return (await call("held", {}, sending)).result!.taskId;
}

async function statusOf(taskId: string, sending?: Sending): Promise<unknown> {
  return (await send("tasks/get", { taskId }, sending)).result?.status;
}

const waitForStatus = (taskId: string, status: string, sending?: Sending) =>
  vi.waitFor(async () => expect(await statusOf(taskId, sending)).toBe(status), patience);

describe("a call that takes long", () => {
  it("is a task, whose client polls for the result", { tags: "slow" }, async () => {
    serve();
    const created = await call("held");
    const { taskId } = created.result!;
    expect(created.result).toMatchObject({
      resultType: "task",
      status: "working",
      ttlMs: null,
      pollIntervalMs: 1_000,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    await vi.waitFor(
      async () =>
        expect((await send("tasks/get", { taskId })).result).toMatchObject({
          resultType: "complete",
          status: "working",
          statusMessage: "half done",
        }),
      patience,
    );
    held.released.resolve();
    await waitForStatus(taskId, "completed");
    const { result } = await send("tasks/get", { taskId });
    expect(result).toMatchObject({
      resultType: "complete",
      result: { resultType: "complete", content: [{ type: "text", text: "all done" }] },
      ttlMs: expect.any(Number),
    });
    expect(Number.isInteger(result?.ttlMs)).toBe(true);
  });

  it("runs on when the request of its client ends", async () => {
    serve();
    const request = new AbortController();
    const taskId = await startTask({ signal: request.signal });
    request.abort();
    held.released.resolve();
    await waitForStatus(taskId, "completed");
    expect(held.cancelled).not.toHaveBeenCalled();
  });

  it("ends when it is cancelled, and cancelling again changes nothing", async () => {
    serve();
    const taskId = await startTask();
    await vi.waitFor(() => expect(held.running).toBe(1), patience);
    const acknowledged = await send("tasks/cancel", { taskId });
    await waitForStatus(taskId, "cancelled");
    const again = await send("tasks/cancel", { taskId });
    const { _meta, ...result } = acknowledged.result!;
    expect([result, again.result?.resultType, held.cancelled.mock.calls.length]).toEqual([
      { resultType: "complete" },
      "complete",
      1,
    ]);
    expect(await statusOf(taskId)).toBe("cancelled");
  });

  it("ends with the server", async () => {
    serve();
    await startTask();
    await vi.waitFor(() => expect(held.running).toBe(1), patience);
    await handler.close();
    expect(held.cancelled).toHaveBeenCalledOnce();
  });

  it("is an ordinary call for a client that does not support tasks", async () => {
    serve();
    const reply = call("held", {}, { capabilities: {} });
    await vi.waitFor(() => expect(held.running).toBe(1), patience);
    held.released.resolve();
    expect((await reply).result).toMatchObject({
      resultType: "complete",
      content: [{ type: "text", text: "all done" }],
    });
  });

  it("reports an error of the protocol as a failed task", async () => {
    const gate = Promise.withResolvers<void>();
    serve({ open: async () => gate.promise.then(opened) });
    const { result } = await call("no_such_tool");
    gate.resolve();
    await waitForStatus(result!.taskId, "failed");
    const { result: failed } = await send("tasks/get", { taskId: result!.taskId });
    expect(failed).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("no_such_tool") },
    });
    expect(failed).not.toHaveProperty("result");
  });
});

it("leaves a short call an ordinary call", async () => {
  serve({ taskAfterMs: 600_000 });
  held.released.resolve();
  expect((await call("held")).result).toMatchObject({ resultType: "complete" });
});

describe("a call that needs approval", () => {
  const capabilities = { ...withTasks, elicitation: {} };
  const file = () => join(folder.path, "work", "a.txt");

  it("asks before it becomes a task", async () => {
    serve({ taskAfterMs: 600_000 });
    const { result } = await call("file_delete", { path: "a.txt" }, { capabilities });
    expect([result?.resultType, result?.taskId]).toEqual(["input_required", undefined]);
  });

  it("asks through the task when it has become one", { tags: "slow" }, async () => {
    const gate = Promise.withResolvers<void>();
    serve({ open: async () => gate.promise.then(opened) });
    const { result } = await call("file_delete", { path: "a.txt" }, { capabilities });
    const { taskId } = result!;
    gate.resolve();
    await waitForStatus(taskId, "input_required");
    const { result: asking } = await send("tasks/get", { taskId });
    expect(asking?.inputRequests).toMatchObject({
      "approval-1": {
        method: "elicitation/create",
        params: { message: expect.stringContaining("file.delete") },
      },
    });
    const answer = { action: "accept", content: { answer: "once" } };
    for (const inputResponses of [
      { "approval-2": answer },
      { approval: answer },
      { "approval-1": 7 },
      "all",
    ]) {
      await send("tasks/update", { taskId, inputResponses });
      expect([await statusOf(taskId), existsSync(file())]).toEqual(["input_required", true]);
    }
    const update = await send("tasks/update", { taskId, inputResponses: { "approval-1": answer } });
    expect(update.result?.resultType).toBe("complete");
    await waitForStatus(taskId, "completed");
    expect(existsSync(file())).toBe(false);
  });

  it("does nothing when its task is cancelled instead of answered", async () => {
    const gate = Promise.withResolvers<void>();
    serve({ open: async () => gate.promise.then(opened) });
    const { result } = await call("file_delete", { path: "a.txt" }, { capabilities });
    const { taskId } = result!;
    gate.resolve();
    await waitForStatus(taskId, "input_required");
    await send("tasks/cancel", { taskId });
    await waitForStatus(taskId, "cancelled");
    const inputResponses = { "approval-1": { action: "accept", content: { answer: "once" } } };
    await send("tasks/update", { taskId, inputResponses });
    expect([await statusOf(taskId), existsSync(file())]).toEqual(["cancelled", true]);
  });
});

describe("requests about tasks", () => {
  it.each(["tasks/get", "tasks/update", "tasks/cancel"])("refuse %s for tasks of others", async (method) => {
    serve();
    const taskId = await startTask();
    const ask = (sending: Sending, id = taskId) =>
      send(method, { taskId: id, inputResponses: {} }, sending).then(({ error }) => error);
    const unknown = await ask({}, "786512e2-9e0d-44bd-8f29-789f320fe840");
    expect(unknown).toMatchObject({ code: -32602 });
    // Another user, and an access token of the same user that allows only reading.
    expect([await ask({ tenant: "bob" }), await ask({ readOnly: true })]).toEqual([unknown, unknown]);
    expect([await statusOf(taskId), held.cancelled.mock.calls.length]).toEqual(["working", 0]);
  });

  it("reach the tasks of a caller that may only read", async () => {
    serve();
    const taskId = await startTask({ readOnly: true });
    expect([await statusOf(taskId, { readOnly: true }), await statusOf(taskId)]).toEqual([
      "working",
      "working",
    ]);
  });

  it.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "refuse %s without the extension",
    async (method) => {
      serve();
      const taskId = await startTask();
      const { error } = await send(method, { taskId, inputResponses: {} }, { capabilities: {} });
      expect([error?.code, error?.data]).toEqual([-32021, { requiredCapabilities: withTasks }]);
    },
  );

  it.each([{}, { taskId: 7 }, { taskId: "__proto__" }])("refuse the parameters %j", async (params) => {
    serve();
    const { error } = await send("tasks/get", params);
    expect([-32602, -32020]).toContain(error?.code);
  });
});

describe("Tasks", () => {
  const owner = { signal: new AbortController().signal, isReadOnly: false };

  it("lets calls beyond the limit of running tasks wait for their results", async () => {
    const tasks = new Tasks(1);
    const { promise, resolve } = Promise.withResolvers<{ readonly done: true }>();
    const running = Array.from({ length: 40 }, () => tasks.run(() => promise, owner));
    const created = await Promise.all(running.slice(0, 32));
    expect(created.filter((each) => "taskId" in each)).toHaveLength(32);
    resolve({ done: true });
    expect(await Promise.all(running.slice(32))).toEqual(Array(8).fill({ done: true }));
  });

  it("keeps the latest results only", { tags: "slow" }, async () => {
    const tasks = new Tasks(0);
    const ids: string[] = [];
    for (let count = 0; count < 250; count += 1) {
      const { promise, resolve } = Promise.withResolvers<object>();
      const created = await tasks.run(() => promise, owner);
      if ("taskId" in created) ids.push(`${created.taskId}`);
      resolve({});
    }
    await vi.waitFor(
      () => expect(tasks.find(ids.at(-1)!, false).describe().status).toBe("completed"),
      patience,
    );
    expect(() => tasks.find(ids[0]!, false)).toThrow("Task not found");
    expect(tasks.find(ids[60]!, false).describe().status).toBe("completed");
  });

  it("forgets a result ten minutes after the call", async () => {
    vi.useFakeTimers();
    try {
      const tasks = new Tasks();
      const { promise, resolve } = Promise.withResolvers<object>();
      const running = tasks.run(() => promise, owner);
      await vi.advanceTimersByTimeAsync(2_000);
      const created = await running;
      const id = "taskId" in created ? `${created.taskId}` : "";
      resolve({});
      await vi.advanceTimersByTimeAsync(10 * 60_000 - 1);
      expect(tasks.find(id, false).describe().status).toBe("completed");
      await vi.advanceTimersByTimeAsync(1);
      expect(() => tasks.find(id, false)).toThrow("Task not found");
    } finally {
      vi.useRealTimers();
    }
  });

  it("forgets large results before small ones add up", { tags: "slow" }, async () => {
    const tasks = new Tasks(0);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { promise, resolve } = Promise.withResolvers<object>();
      const created = await tasks.run(() => promise, owner);
      if ("taskId" in created) ids.push(`${created.taskId}`);
      resolve({ text: "x".repeat(20 * 1024 * 1024) });
      await promise;
    }
    await vi.waitFor(() => expect(tasks.find(ids[2]!, false).describe().status).toBe("completed"), patience);
    expect(() => tasks.find(ids[0]!, false)).toThrow("Task not found");
  });
});

/** Reads the events of a stream, one after the other. */
async function* eventsOf(response: Response): AsyncGenerator<Record<string, unknown>> {
  let unread = "";
  for await (const bytes of response.body!) {
    unread += Buffer.from(bytes).toString();
    const events = unread.split("\n\n");
    unread = events.pop()!;
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? [];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/** Listens for tasks. Returns the events; `next` waits for one. */
async function listen(notifications: object, sending: Sending = {}) {
  const leaving = new AbortController();
  const request = requestOf(
    "subscriptions/listen",
    { notifications },
    { ...sending, signal: leaving.signal },
  );
  const { tenant = "ada", readOnly } = sending;
  const response = await handler.fetch(request, { tenant, ...(readOnly && { readOnly }) });
  const events = eventsOf(response);
  const next = async () => (await events.next()).value as { method: string; params: Record<string, unknown> };
  return { next, [Symbol.dispose]: () => leaving.abort() };
}

const subscription = { "io.modelcontextprotocol/subscriptionId": 1 };

describe("a client that listens for tasks", () => {
  it("is notified about each status of its tasks, and of no others", async () => {
    serve();
    const taskId = await startTask();
    const [other, foreign] = [await startTask(), await startTask({ tenant: "bob" })];
    using stream = await listen({ taskIds: [taskId, foreign, "none", 7] });
    expect(await stream.next()).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { taskIds: [taskId] }, _meta: subscription },
    });
    await send("tasks/cancel", { taskId: other });
    await waitForStatus(other, "cancelled");
    held.released.resolve();
    expect(await stream.next()).toMatchObject({
      method: "notifications/tasks",
      params: {
        ...{ taskId, status: "completed", _meta: subscription },
        result: { content: [{ type: "text", text: "all done" }] },
      },
    });
    // A task that has ended before is reported at once.
    using late = await listen({ taskIds: [taskId] });
    expect([(await late.next()).method, (await late.next()).params.status]).toEqual([
      "notifications/subscriptions/acknowledged",
      "completed",
    ]);
  });

  it("needs the extension, and with a token for reading sees no tasks of others", async () => {
    serve();
    const taskId = await startTask();
    for (const sending of [{ capabilities: {} }, { readOnly: true }]) {
      using stream = await listen({ taskIds: [taskId], promptsListChanged: true }, sending);
      const { params } = await stream.next();
      expect(params.notifications).not.toHaveProperty("taskIds");
      expect(params.notifications).not.toHaveProperty("toolsListChanged");
    }
  });
});

it("notifies a client over standard input and output", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: { method?: string; id?: unknown; params?: Record<string, unknown>; result?: object }[] = [];
  createInterface({ input: output }).on("line", (line) => received.push(JSON.parse(line)));
  serve();
  await using _ = serveStdio({ input, output, taskAfterMs: 1, open: opened });
  const write = async (id: number, method: string, params: object) =>
    input.write(
      `${JSON.stringify({ ...JSON.parse(await requestOf(method, params as never).text()), id })}\n`,
    );
  await write(1, "tools/call", { name: "held", arguments: {} });
  const created = await vi.waitFor(
    () => received.find(({ id }) => id === 1)!.result as { taskId: string },
    patience,
  );
  await write(2, "subscriptions/listen", { notifications: { taskIds: [created.taskId, "none"] } });
  await vi.waitFor(
    () => expect(received.at(-1)?.params?.notifications).toEqual({ taskIds: [created.taskId] }),
    patience,
  );
  held.released.resolve();
  await vi.waitFor(
    () =>
      expect(received.at(-1)).toMatchObject({
        method: "notifications/tasks",
        params: {
          taskId: created.taskId,
          status: "completed",
          _meta: { "io.modelcontextprotocol/subscriptionId": 2 },
        },
      }),
    patience,
  );
});
