import type { CallOptions, CallResult, Toolcrib } from "../toolcrib/index.ts";
import { readArguments } from "../wire/read-arguments.ts";
import { SdkApprovals } from "./approvals.ts";
import { callAgain, inOrder, type MakeInOrder, toolsThatOnlyRead } from "./calls.ts";

export interface OpenAiAgentsOptions extends CallOptions {
  /**
   * "sdk": calls that need approval become `interruptions` of the run, and run when the program approves them there.
   * Default: "toolcrib", the `approve` of the options or of the instance.
   */
  readonly approvals?: "sdk" | "toolcrib" | undefined;
}

/** Returns the tools for `new Agent({ tools })` of the OpenAI Agents SDK, which makes the calls itself. */
export async function openAiAgentsTools(
  crib: Toolcrib,
  options: OpenAiAgentsOptions = {},
): Promise<OpenAiAgentsTool[]> {
  const { approvals: asking, ...callOptions } = options;
  const definitions = await crib.definitions();
  const changesNothing = await toolsThatOnlyRead(crib);
  const approvals = asking === "sdk" ? new SdkApprovals(crib) : undefined;
  const orders = new WeakMap<object, MakeInOrder>();
  const orderOf = (run: object) => {
    const order = orders.get(run) ?? inOrder(changesNothing);
    orders.set(run, order);
    return order;
  };
  return definitions.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: { properties: {}, required: [], ...inputSchema },
    strict: false,
    isEnabled: async () => true,
    needsApproval: async (run, input, callId = "") => {
      const answer = run.isToolApproved({ toolName: name, callId });
      return (await approvals?.needsApproval({ id: callId, name, input }, answer)) ?? false;
    },
    invoke: async (run, text, { toolCall, signal } = {}) => {
      const input = readArguments(text);
      if (!input.ok) return `${input.problem}\n${callAgain}`;
      const id = toolCall?.callId ?? "";
      const signals = [options.signal, signal].filter((each) => each !== undefined);
      const own = { ...callOptions, signal: AbortSignal.any(signals), onlyOffered: true };
      const isApproved = approvals !== undefined && run.isToolApproved({ toolName: name, callId: id });
      const made = isApproved ? approvals.approved(id, own) : own;
      return outputOf(await orderOf(run)(name, () => crib.call(name, input.value, made)));
    },
  }));
}

/** A `FunctionTool` of the SDK. */
export interface OpenAiAgentsTool {
  type: "function";
  name: string;
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK knows only schemas of two forms, and passes on any
  parameters: any;
  strict: boolean;
  isEnabled: () => Promise<boolean>;
  needsApproval: (run: OpenAiAgentsRun, input: unknown, callId?: string) => Promise<boolean>;
  invoke: (
    run: OpenAiAgentsRun,
    input: string,
    details?: OpenAiAgentsCall,
  ) => Promise<string | OpenAiAgentsOutput[]>;
}

/** The part of the SDK's `RunContext` that is used. */
export interface OpenAiAgentsRun {
  isToolApproved(call: { toolName: string; callId: string }): boolean | undefined;
}

/** The part of the SDK's `ToolCallDetails` that is used. */
export interface OpenAiAgentsCall {
  toolCall?: { callId: string };
  signal?: AbortSignal;
}

export type OpenAiAgentsOutput = { type: "text"; text: string } | { type: "image"; image: string };

function outputOf({ content, images }: CallResult): string | OpenAiAgentsOutput[] {
  if (images.length === 0) return content;
  const pictures = images.map(({ mediaType, base64 }) => ({
    type: "image" as const,
    image: `data:${mediaType};base64,${base64}`,
  }));
  return content === "" ? pictures : [{ type: "text", text: content }, ...pictures];
}
