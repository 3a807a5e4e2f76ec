import type { CallOptions, CallResult, Toolcrib } from "../toolcrib/index.ts";
import { SdkApprovals } from "./approvals.ts";
import { inOrder, type MakeInOrder, toolsThatOnlyRead } from "./calls.ts";

export interface AiSdkOptions extends CallOptions {
  /**
   * "sdk": calls that need approval become approval requests of the SDK (6 and newer), and run when its user approves
   * exactly what was requested. Default: "toolcrib", the `approve` of the options or of the instance.
   */
  readonly approvals?: "sdk" | "toolcrib" | undefined;
}

/**
 * Returns the tools for `generateText` and `streamText` of the AI SDK 5, 6 and 7, and for agents of Mastra. The SDK makes
 * the calls itself.
 */
export async function aiSdkTools(crib: Toolcrib, options: AiSdkOptions = {}): Promise<AiSdkToolSet> {
  const { approvals: asking, ...callOptions } = options;
  const definitions = await crib.definitions({ for: "ai-sdk" });
  const orderOf = ordersByAnswer(await toolsThatOnlyRead(crib));
  const approvals = asking === "sdk" ? new SdkApprovals(crib) : undefined;
  // Version 6 knows only "image-data", which version 7 warns about.
  let imageType: ImageType = "image-data";
  const toTool = ({ name, description, inputSchema }: (typeof definitions)[number]): AiSdkExecutableTool => ({
    description,
    inputSchema: schemaOf(inputSchema),
    execute: (input, given) => {
      const { abortSignal, messages, toolCallId: id = "" } = given;
      if ("context" in given) imageType = "file";
      const signals = [options.signal, abortSignal].filter((signal) => signal !== undefined);
      const signal = signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
      const own = { ...callOptions, ...signal, onlyOffered: true };
      const isApproved = approvals !== undefined && answerIn(messages, id) === true;
      const made = isApproved ? approvals.approved(id, own) : own;
      return orderOf(messages)(name, () => crib.call(name, input, made));
    },
    ...(approvals && {
      needsApproval: (input: unknown, { messages, toolCallId: id = "" }: AiSdkCallOptions) =>
        approvals.needsApproval({ id, name, input }, answerIn(messages, id)),
    }),
    toModelOutput: (given) =>
      "output" in given && typeof given.output === "object" && given.output !== null
        ? modelOutputOf(given.output, imageType)
        : modelOutputOf(given as CallResult, "media"),
  });
  return Object.fromEntries(definitions.map((definition) => [definition.name, toTool(definition)]));
}

/** A `ToolSet` of the AI SDK. */
export type AiSdkToolSet = Record<string, AiSdkExecutableTool>;

export interface AiSdkExecutableTool {
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: each version of the SDK has its own type of schemas
  inputSchema: any;
  execute(input: unknown, options: AiSdkCallOptions): Promise<CallResult>;
  needsApproval?: (input: unknown, options: AiSdkCallOptions) => Promise<boolean>;
  /** The SDK passes the result in an object since version 6. */
  toModelOutput(given: CallResult | { output: CallResult }): AiSdkOutput;
}

export interface AiSdkCallOptions {
  abortSignal?: AbortSignal | undefined;
  toolCallId?: string | undefined;
  /** The request that the model answered. All calls of one answer have the same one, and are made in order. */
  messages?: readonly unknown[] | undefined;
}

/** The part of a result that a model sees. */
export type AiSdkOutput =
  | { type: "text" | "error-text"; value: string }
  // biome-ignore lint/suspicious/noExplicitAny: each version of the SDK has its own types of images
  | { type: "content"; value: any[] };

/** Orders the calls of each answer. The SDK starts them all at once; the shared `messages` identify the answer. */
function ordersByAnswer(changesNothing: ReadonlySet<string>): (messages?: readonly unknown[]) => MakeInOrder {
  const orders = new WeakMap<readonly unknown[], MakeInOrder>();
  return (messages = []) => {
    const order = orders.get(messages) ?? inOrder(changesNothing);
    orders.set(messages, order);
    return order;
  };
}

/** Returns the user's answer about a call in the last message, where the SDK looks for answers. */
function answerIn(messages: readonly unknown[] = [], toolCallId: string): boolean | undefined {
  const last = messages.at(-1) as Message | undefined;
  if (last?.role !== "tool") return undefined;
  const requests = messages.flatMap((message) =>
    partsOf(message).flatMap((part) =>
      part.type === "tool-approval-request" && part.toolCallId === toolCallId ? [part.approvalId] : [],
    ),
  );
  return partsOf(last).find(
    (part) => part.type === "tool-approval-response" && requests.includes(part.approvalId),
  )?.approved;
}

interface Message {
  readonly role?: string;
  readonly content?: unknown;
}

interface MessagePart {
  readonly type?: string;
  readonly toolCallId?: string;
  readonly approvalId?: string;
  readonly approved?: boolean;
}

function partsOf(message: unknown): readonly MessagePart[] {
  const { content } = message as Message;
  return Array.isArray(content) ? content : [];
}

/**
 * Returns a schema that accepts everything, because the pipeline validates and explains: the SDK's own kind of schema, which
 * all versions know, and one by standardschema.dev.
 */
function schemaOf(schema: Record<string, unknown>): AiSdkExecutableTool["inputSchema"] {
  // The SDK closes the schema in place.
  const copy = () => structuredClone(schema);
  return {
    [Symbol.for("vercel.ai.schema")]: true,
    [Symbol.for("vercel.ai.validator")]: true,
    _type: undefined,
    get jsonSchema() {
      return copy();
    },
    validate: (value: unknown) => ({ success: true, value }),
    "~standard": {
      version: 1,
      vendor: "toolcrib",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  };
}

/** The type of an image in version 5, 6 and 7. */
type ImageType = "media" | "image-data" | "file";

function modelOutputOf({ content, isError, images }: CallResult, type: ImageType): AiSdkOutput {
  if (images.length === 0) return { type: isError ? "error-text" : "text", value: content };
  const pictures = images.map(({ mediaType, base64: data }) => ({
    ...{ type, mediaType },
    data: type === "file" ? { type: "data", data } : data,
  }));
  return {
    type: "content",
    value: content === "" ? pictures : [{ type: "text", text: content }, ...pictures],
  };
}
