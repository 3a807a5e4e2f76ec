import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { knowsTasks, type Task, type Tasks } from "./tasks.ts";

/*
 * The SDK answers `subscriptions/listen`, but does not know the tasks of the extension. The functions below let it do
 * its part, and add the tasks to its acknowledgement and their changes to its notifications.
 */

/** A request to be notified about tasks. */
export interface TaskSubscription {
  /** The id of the request, which all notifications repeat. */
  readonly id: string | number;
  readonly taskIds: readonly string[];
}

/** Returns the tasks that a `subscriptions/listen` request asks about; undefined for all other messages. */
export function taskSubscriptionIn(message: unknown): TaskSubscription | undefined {
  if (!isRecord(message) || message.method !== "subscriptions/listen" || !isRecord(message.params))
    return undefined;
  const { id, params } = message;
  const { notifications, _meta: meta } = params;
  const taskIds = isRecord(notifications) ? notifications.taskIds : undefined;
  const declared = isRecord(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
  if ((typeof id !== "string" && typeof id !== "number") || !Array.isArray(taskIds)) return undefined;
  if (!isRecord(declared) || !knowsTasks(declared)) return undefined;
  return { id, taskIds: taskIds.filter((each) => typeof each === "string").slice(0, maxTasks) };
}

const maxTasks = 100;
const maxSubscriptions = 100;

/** Notifies one client over standard input and output. */
export class TaskSubscriptions {
  readonly #transport: Transport;
  readonly #tasks: Tasks;
  /** Requests that are not acknowledged yet: the ids of tasks, by the id of the request. */
  readonly #asked = new Map<string | number, readonly string[]>();
  /** The ids of tasks, by the id of the subscription. */
  readonly #wanted = new Map<string | number, readonly string[]>();

  constructor(transport: Transport, tasks: Tasks) {
    this.#transport = transport;
    this.#tasks = tasks;
  }

  /** Hears all messages before the current listener. */
  begin(): void {
    const transport = this.#transport;
    const handOn = transport.onmessage;
    transport.onmessage = (message, extra) => {
      this.#hear(message);
      handOn?.(message, extra);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const acknowledged = this.#acknowledged(message);
      await send(acknowledged?.message ?? message, options);
      for (const task of acknowledged?.ended ?? []) this.#notify(task);
    };
    this.#tasks.onChange((task) => this.#notify(task));
  }

  #hear(message: JSONRPCMessage): void {
    const subscription = taskSubscriptionIn(message);
    if (subscription !== undefined && this.#wanted.size + this.#asked.size < maxSubscriptions)
      this.#asked.set(subscription.id, subscription.taskIds);
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    this.#wanted.delete(message.params?.requestId as string | number);
  }

  /** Adds the tasks to the SDK's acknowledgement. */
  #acknowledged(message: JSONRPCMessage) {
    // The SDK has refused the request.
    if ("error" in message && message.id !== undefined) this.#asked.delete(message.id);
    const id = acknowledgedBy(message);
    const taskIds = id === undefined ? undefined : this.#asked.get(id);
    if (id === undefined || taskIds === undefined) return undefined;
    this.#asked.delete(id);
    const known = knownTasks(this.#tasks, taskIds, false);
    this.#wanted.set(
      id,
      known.map((task) => task.id),
    );
    return { message: withTasks(message, known), ended: known.filter((task) => task.hasEnded) };
  }

  #notify(task: Task): void {
    for (const [id, taskIds] of this.#wanted)
      if (taskIds.includes(task.id)) this.#transport.send(notificationOf(task, id)).catch(() => {});
  }
}

/**
 * Returns the body of a request to the SDK for a subscription over HTTP. Without other notifications, the SDK would end
 * the stream at once.
 */
export function listenBody(message: Readonly<Record<string, unknown>>): object {
  const params = message.params as { readonly notifications: object };
  return {
    ...message,
    params: { ...params, notifications: { ...params.notifications, toolsListChanged: true } },
  };
}

/** Adds the tasks to the SDK's stream of events for a request whose body was changed by `listenBody`. */
export function withTaskEvents(
  response: Response,
  message: Readonly<Record<string, unknown>>,
  { id, taskIds }: TaskSubscription,
  tasks: Tasks,
  isReadOnly: boolean,
): Response {
  const { body, status, headers } = response;
  if (body === null || headers.get("content-type") !== "text/event-stream") return response;
  const { notifications } = message.params as { readonly notifications: Record<string, unknown> };
  const wantsTools = notifications.toolsListChanged === true;
  const reader = body.getReader();
  let stop = () => {};
  const events = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      // A pull that adds nothing would not be repeated.
      for (;;) {
        const { done, value } = await reader.read().catch((error) => {
          stop();
          throw error;
        });
        if (done) {
          stop();
          return controller.close();
        }
        const event = readEvent(value);
        if (!wantsTools && event?.method === "notifications/tools/list_changed") continue;
        if (event === undefined || acknowledgedBy(event) !== id) return controller.enqueue(value);
        const known = knownTasks(tasks, taskIds, isReadOnly);
        controller.enqueue(writeEvent(withTasks(event, known, wantsTools)));
        const notify = (task: Task) => controller.enqueue(writeEvent(notificationOf(task, id)));
        for (const task of known) if (task.hasEnded) notify(task);
        stop = tasks.onChange((task) => {
          if (known.includes(task)) notify(task);
        });
        return;
      }
    },
    cancel: (reason) => {
      stop();
      return reader.cancel(reason);
    },
  });
  return new Response(events, { status, headers });
}

type Event = JSONRPCMessage & { readonly method?: string };

function readEvent(bytes: Uint8Array): Event | undefined {
  const [, data] = /^data: (.*)$/m.exec(Buffer.from(bytes).toString()) ?? [];
  const event = data === undefined ? undefined : tryParseJson(data);
  return isRecord(event) ? (event as unknown as Event) : undefined;
}

function writeEvent(message: JSONRPCMessage): Uint8Array {
  return Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** Returns the subscription that a message acknowledges; undefined for other messages. */
function acknowledgedBy(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/subscriptions/acknowledged")
    return undefined;
  return message.params?._meta?.[SUBSCRIPTION_ID_META_KEY] as string | number | undefined;
}

function withTasks(message: JSONRPCMessage, known: readonly Task[], keepsTools = true): JSONRPCMessage {
  const { params, ...rest } = message as unknown as { readonly params: { readonly notifications: object } };
  const { toolsListChanged, ...others } = params.notifications as { readonly toolsListChanged?: boolean };
  const notifications = {
    ...others,
    ...(keepsTools && toolsListChanged !== undefined && { toolsListChanged }),
    ...(known.length > 0 && { taskIds: known.map((task) => task.id) }),
  };
  return { ...rest, params: { ...params, notifications } } as unknown as JSONRPCMessage;
}

/** Returns the tasks that this caller may see. */
function knownTasks(tasks: Tasks, taskIds: readonly string[], isReadOnly: boolean): readonly Task[] {
  return [...new Set(taskIds)].flatMap((id) => tasks.get(id, isReadOnly) ?? []);
}

function notificationOf(task: Task, subscription: string | number): JSONRPCMessage {
  const params = { ...task.describe(), _meta: { [SUBSCRIPTION_ID_META_KEY]: subscription } };
  return { jsonrpc: "2.0", method: "notifications/tasks", params };
}
