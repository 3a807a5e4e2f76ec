import type { CallOptions, CallResult, Toolcrib } from "../toolcrib/index.ts";
import { inOrder, type MakeInOrder, toolsThatOnlyRead } from "./calls.ts";

/** Returns the tools for `generateText` and `streamText` of the AI SDK, which makes the calls itself. */
export async function aiSdkTools(crib: Toolcrib, options: CallOptions = {}): Promise<AiSdkToolSet> {
  const definitions = await crib.definitions({ for: "ai-sdk" });
  const orderOf = ordersByAnswer(await toolsThatOnlyRead(crib));
  return Object.fromEntries(
    definitions.map(({ name, description, inputSchema }) => [
      name,
      {
        description,
        inputSchema: schemaOf(inputSchema),
        execute: (input: unknown, { abortSignal, messages }: AiSdkCallOptions) => {
          const signals = [options.signal, abortSignal].filter((signal) => signal !== undefined);
          const signal = signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
          return orderOf(messages)(name, () =>
            crib.call(name, input, { ...options, ...signal, onlyOffered: true }),
          );
        },
        toModelOutput: ({ output }: { output: CallResult }) => modelOutputOf(output),
      },
    ]),
  );
}

/** A `ToolSet` of the AI SDK. */
export type AiSdkToolSet = Record<string, AiSdkExecutableTool>;

export interface AiSdkExecutableTool {
  description: string;
  inputSchema: AiSdkSchema;
  execute(input: unknown, options: AiSdkCallOptions): Promise<CallResult>;
  toModelOutput(options: { output: CallResult }): AiSdkOutput;
}

export interface AiSdkCallOptions {
  abortSignal?: AbortSignal | undefined;
  /** The request that the model answered. All calls of one answer have the same one, and are made in order. */
  messages?: readonly unknown[] | undefined;
}

/** The part of a result that a model sees. */
export type AiSdkOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "content"; value: AiSdkContent[] };

export type AiSdkContent =
  | { type: "text"; text: string }
  | { type: "file"; mediaType: string; data: { type: "data"; data: string } };

/** A schema by standardschema.dev that accepts everything: the pipeline validates and explains. */
export interface AiSdkSchema {
  "~standard": {
    version: 1;
    vendor: "toolcrib";
    validate(value: unknown): { value: unknown };
    jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

/** Orders the calls of each answer. The SDK starts them all at once; the shared `messages` identify the answer. */
function ordersByAnswer(changesNothing: ReadonlySet<string>): (messages?: readonly unknown[]) => MakeInOrder {
  const orders = new WeakMap<readonly unknown[], MakeInOrder>();
  return (messages = []) => {
    const order = orders.get(messages) ?? inOrder(changesNothing);
    orders.set(messages, order);
    return order;
  };
}

function schemaOf(schema: Record<string, unknown>): AiSdkSchema {
  // The SDK closes the schema in place.
  const copy = () => structuredClone(schema);
  return {
    "~standard": {
      version: 1,
      vendor: "toolcrib",
      validate: (value) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  };
}

function modelOutputOf({ content, isError, images }: CallResult): AiSdkOutput {
  if (images.length === 0) return { type: isError ? "error-text" : "text", value: content };
  const pictures = images.map(({ mediaType, base64 }) => ({
    type: "file" as const,
    mediaType,
    data: { type: "data" as const, data: base64 },
  }));
  return {
    type: "content",
    value: content === "" ? pictures : [{ type: "text", text: content }, ...pictures],
  };
}
