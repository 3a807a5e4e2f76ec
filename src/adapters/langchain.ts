import type { Approval, CallOptions, CallResult, PendingApproval, Toolcrib } from "../toolcrib/index.ts";
import { answerFor } from "./approvals.ts";
import { inOrder, type MakeInOrder, toolsThatOnlyRead } from "./calls.ts";

export interface LangChainOptions<Made> extends CallOptions {
  /** The function `tool` of `@langchain/core/tools`. */
  readonly tool: LangChainFactory<Made>;
  /**
   * The function `interrupt` of `@langchain/langgraph`. With it, a call that needs approval interrupts the graph with a
   * `PendingApproval`, and `new Command({ resume })` takes the answer: an `Approval`. Default: the `approve` of the options
   * or of the instance.
   */
  readonly interrupt?: ((pending: PendingApproval) => unknown) | undefined;
}

/** Returns the tools for models, agents and tool nodes of LangChain and LangGraph, which make the calls themselves. */
export async function langChainTools<Made>(
  crib: Toolcrib,
  { tool, interrupt, ...options }: LangChainOptions<Made>,
): Promise<Made[]> {
  const definitions = await crib.definitions();
  const orderOf = ordersByThread(await toolsThatOnlyRead(crib));
  return definitions.map(({ name, description, inputSchema: schema }) => {
    const make = async (input: unknown, config: LangChainConfig = {}) => {
      const { signal: cancelled, configurable } = config;
      const signals = [options.signal, cancelled].filter((signal) => signal !== undefined);
      const own = { ...options, signal: AbortSignal.any(signals), onlyOffered: true };
      const thread = String(configurable?.thread_id ?? "");
      const result = await orderOf(thread)(name, async () => {
        const answered = interrupt ? await interrupting(crib, { name, input, interrupt }) : undefined;
        return crib.call(name, input, { ...own, ...answered });
      });
      return outputOf(result);
    };
    return tool(make, { name, description, schema });
  });
}

/** The function `tool` of LangChain, as it is used here. */
export type LangChainFactory<Made> = (
  // biome-ignore lint/suspicious/noExplicitAny: LangChain infers the input from the schema, which is known only at run time
  make: (input: any, config?: any) => Promise<LangChainOutput>,
  fields: { name: string; description: string; schema: Record<string, unknown> },
) => Made;

export interface LangChainConfig {
  signal?: AbortSignal | undefined;
  configurable?: { thread_id?: unknown } | undefined;
}

export type LangChainOutput =
  | string
  | ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];

/**
 * Interrupts the graph when the call needs approval. LangGraph runs the tool again from the start to resume it, so the
 * answer counts only if the same question was pending before.
 */
async function interrupting(
  crib: Toolcrib,
  { name, input, interrupt }: Required<Pick<LangChainOptions<never>, "interrupt">> & NamedCall,
): Promise<Pick<CallOptions, "approve"> | undefined> {
  const before = crib.approvals.list();
  const pending = await crib.approvals.ask(name, input, { onlyOffered: true });
  if (pending === undefined) return undefined;
  // Throws to interrupt the graph, and returns the answer when the graph resumes.
  const answer = interrupt!(pending) as Approval;
  const shown = before.filter(({ id }) => id === pending.id);
  // The answer is older than the question: the call has run, or has changed. The next repetition must not use it either.
  if (shown.length === 0) crib.approvals.withdraw(pending);
  return { approve: answerFor(shown, answer) };
}

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
