import { ToolError } from "../contract/error.ts";
import {
  type Approval,
  type ApprovalView,
  approvalView,
  type CallOptions,
  type CallResult,
  type PendingApproval,
  type Toolcrib,
} from "../toolcrib/index.ts";
import { answerFor } from "./approvals.ts";
import { inOrder, type MakeInOrder, toolsThatOnlyRead } from "./calls.ts";

export interface LangChainOptions<Made> extends CallOptions {
  /** The function `tool` of `@langchain/core/tools`. */
  readonly tool: LangChainFactory<Made>;
  /**
   * The function `interrupt` of `@langchain/langgraph`. With it, a call that needs approval interrupts the graph with a
   * `PendingApproval` and its `view` to show, and `new Command({ resume })` takes the answer: an `Approval` that repeats the
   * `hash` of the question. Default: the `approve` of the options or of the instance.
   */
  readonly interrupt?: ((pending: PendingApproval & { readonly view: ApprovalView }) => unknown) | undefined;
}

/** Returns the tools for models, agents and tool nodes of LangChain and LangGraph, which make the calls themselves. */
export async function langChainTools<Made>(
  crib: Toolcrib,
  { tool, interrupt: interruptWith, ...options }: LangChainOptions<Made>,
): Promise<Made[]> {
  const interrupt: Interrupt | undefined =
    interruptWith && ((pending) => interruptWith({ ...pending, view: approvalView(pending.request) }));
  const definitions = await crib.definitions();
  const orderOf = ordersByThread(await toolsThatOnlyRead(crib));
  const tasks = new LatestTasks();
  const failed: FailedCalls = new WeakSet();
  return definitions.map(({ name, description, inputSchema: schema }) => {
    const make = async (input: unknown, config: LangChainConfig = {}) => {
      const { signal: cancelled, configurable } = config;
      const signals = [options.signal, cancelled].filter((signal) => signal !== undefined);
      const own = { ...options, signal: AbortSignal.any(signals), onlyOffered: true };
      const thread = String(configurable?.thread_id ?? "");
      const call = { name, input };
      const result = await orderOf(thread)(name, async () => {
        if (interrupt === undefined) return crib.call(name, input, own);
        return tasks.makeOnce({ config, call, interrupt }, async () => {
          const { pending, ...answered } = await interrupting(crib, { ...call, interrupt });
          return { pending, result: await crib.call(name, input, { ...own, ...answered }) };
        });
      });
      if (result.isError && config.toolCall !== undefined) failed.add(config.toolCall);
      return outputOf(result);
    };
    return markingFailures(tool(make, { name, description, schema }), failed);
  });
}

/** The calls that failed, as LangChain passes them to tools. */
type FailedCalls = WeakSet<object>;

/**
 * Makes the tool answer a failed call with a `ToolMessage` of the status "error". LangChain makes the message from the
 * text that a tool returns, always with "success".
 */
function markingFailures<Made>(made: Made, failed: FailedCalls): Made {
  const { invoke } = made as { invoke?: (call: unknown, ...others: unknown[]) => Promise<unknown> };
  if (typeof invoke !== "function") return made;
  const marked = async (call: unknown, ...others: unknown[]) => {
    const message = await invoke.call(made, call, ...others);
    if (failed.has(call as object)) Object.assign(message as object, { status: "error" });
    return message;
  };
  return Object.assign(made as object, { invoke: marked }) as Made;
}

/** The function `tool` of LangChain, as it is used here. */
export type LangChainFactory<Made> = (
  // biome-ignore lint/suspicious/noExplicitAny: LangChain infers the input from the schema, which is known only at run time
  make: (input: any, config?: any) => Promise<LangChainOutput>,
  fields: { name: string; description: string; schema: Record<string, unknown> },
) => Made;

export interface LangChainConfig {
  signal?: AbortSignal | undefined;
  configurable?: { thread_id?: unknown; checkpoint_ns?: unknown } | undefined;
  toolCall?: { id?: string | undefined } | undefined;
}

export type LangChainOutput =
  | string
  | ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];

/**
 * Interrupts the graph when the call needs approval. LangGraph runs the tool again from the start to resume it, and gives
 * the answers of a task to its interrupts by their order. So an approval counts only with the hash of this question, and
 * only if the question was pending before.
 */
async function interrupting(
  crib: Toolcrib,
  { name, input, interrupt }: NamedCall & { readonly interrupt: Interrupt },
): Promise<Pick<CallOptions, "approve"> & Pick<MadeCall, "pending">> {
  const before = crib.approvals.list();
  const pending = await crib.approvals.ask(name, input, { onlyOffered: true });
  if (pending === undefined) return { pending };
  // Throws to interrupt the graph, and returns the answer when the graph resumes.
  const answer = interrupt(pending) as Approval | undefined;
  if (answer?.allow === false) return { pending, approve: answerFor([pending], answer) };
  const shown = before.filter(({ id }) => id === pending.id && answer?.hash === pending.hash);
  // The answer is older than the question, or to another one. The next repetition must not use it either.
  if (shown.length === 0) crib.approvals.withdraw(pending);
  return {
    pending,
    approve: answerFor(shown, { ...answer, allow: true, countsOnce: true }, () => {
      throw notTheAnswer();
    }),
  };
}

function notTheAnswer(): ToolError {
  return new ToolError(
    "needs-approval",
    "The graph was resumed with an answer that is not to this question",
    {
      hint: "Nothing was done. Make the call again.",
      forUser: {
        hint: "An approval repeats the hash: new Command({ resume: { allow: true, hash: value.hash } })",
      },
    },
  );
}

type Interrupt = (pending: PendingApproval) => unknown;

interface MadeCall {
  /** The question that interrupted the graph. */
  readonly pending: PendingApproval | undefined;
  readonly result: CallResult;
}

/**
 * The calls that were made in the latest tasks. LangGraph runs a task again for each answer to its interrupts: a call that
 * was made is not made again, and interrupts as before, so that the next answer reaches its own question.
 */
class LatestTasks {
  readonly #tasks = new Map<string, Map<string, MadeCall>>();

  async makeOnce(
    { config, call, interrupt }: { config: LangChainConfig; call: NamedCall; interrupt: Interrupt },
    make: () => Promise<MadeCall>,
  ): Promise<CallResult> {
    const { configurable, toolCall } = config;
    const task = String(configurable?.checkpoint_ns ?? "");
    if (task === "" || toolCall?.id === undefined) return (await make()).result;
    const key = JSON.stringify([toolCall.id, call.name, call.input]);
    const made = this.#madeIn(task);
    const earlier = made.get(key);
    if (earlier?.pending) interrupt(earlier.pending);
    const done = earlier ?? (await make());
    made.set(key, done);
    return done.result;
  }

  /** Returns the calls that were made in a task. The oldest tasks are forgotten. */
  #madeIn(task: string): Map<string, MadeCall> {
    const made = this.#tasks.get(task) ?? new Map<string, MadeCall>();
    this.#tasks.delete(task);
    this.#tasks.set(task, made);
    for (const oldest of this.#tasks.keys()) if (this.#tasks.size > maxTasks) this.#tasks.delete(oldest);
    return made;
  }
}

const maxTasks = 100;

interface NamedCall {
  readonly name: string;
  readonly input: unknown;
}

/** Orders the calls of each thread, because a graph starts all calls of a reply at once. */
function ordersByThread(changesNothing: ReadonlySet<string>): (thread: string) => MakeInOrder {
  const orders = new Map<string, { readonly order: MakeInOrder; running: number }>();
  return (thread) => {
    const known = orders.get(thread) ?? { order: inOrder(changesNothing), running: 0 };
    orders.set(thread, known);
    return async (name, make) => {
      known.running += 1;
      try {
        return await known.order(name, make);
      } finally {
        known.running -= 1;
        if (known.running === 0) orders.delete(thread);
      }
    };
  };
}

function outputOf({ content, images }: CallResult): LangChainOutput {
  if (images.length === 0) return content;
  const pictures = images.map(({ mediaType, base64 }) => ({
    type: "image_url" as const,
    image_url: { url: `data:${mediaType};base64,${base64}` },
  }));
  return content === "" ? pictures : [{ type: "text", text: content }, ...pictures];
}
