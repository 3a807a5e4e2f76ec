import * as z from "zod/mini";
import { defaultLimits } from "../../agent/limits.ts";
import { reasoningEfforts } from "../../models/model.ts";
import { policyModes } from "../../policy/policy.ts";
import { type SandboxSetting, sandboxSettings } from "../../toolcrib/options.ts";

// The messages of `toolcrib rpc`. docs/rpc.schema.json is generated from these schemas, which also validate requests.

/** The version of the protocol. A change that breaks clients increments it. */
export const protocolVersion = 1;

const text = z.string();
const count = z.int().check(z.nonnegative());
const texts = z.array(text);
const json = z.record(text, z.unknown());
const instance = { instance: text };
const nothing = z.object({});
const failure = z.object({ code: text, message: text, hint: z.nullable(text) });

/** The options that `open` and `agent.open` share. All but the last two mean the same as in the library. */
const instanceOptions = {
  workspace: z.optional(text),
  target: z.optional(text),
  dialect: z.optional(text),
  mode: z.optional(z.enum(policyModes)),
  rules: z.optional(texts),
  ruleFiles: z.optional(texts),
  onlyTools: z.optional(texts),
  readOnly: z.optional(z.boolean()),
  stateDirectory: z.optional(text),
  configDirectory: z.optional(text),
  sandbox: z.optional(z.enum(sandboxSettings as readonly [SandboxSetting])),
  maxShownTokens: z.optional(count),
  pendingApprovals: z.optional(z.boolean()),
  approvalWaitMs: z.optional(count),
  client: z.optional(z.strictObject({ name: z.optional(text), version: z.optional(text) })),
  /** Whether the server asks this client with `approve`. */
  approve: z.optional(z.boolean()),
  /** Whether the server sends the notification `event`. */
  events: z.optional(z.boolean()),
};

const sampling = z.strictObject({
  temperature: z.optional(z.number()),
  topP: z.optional(z.number()),
  maxOutputTokens: z.optional(count),
  seed: z.optional(z.int()),
  stop: z.optional(texts),
});

const limits = z.strictObject(
  Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, z.optional(z.number())])),
);

const opened = z.object({
  ...instance,
  protocol: z.literal(protocolVersion),
  version: text,
  session: text,
  workspace: text,
  /** Only on a target. */
  target: z.optional(text),
  mode: z.enum(policyModes),
  warnings: texts,
});

const callResult = z.object({
  content: text,
  isError: z.boolean(),
  failed: z.optional(text),
  data: z.unknown(),
  error: z.nullable(failure),
  callId: text,
  truncated: z.boolean(),
  output: z.nullable(text),
  images: z.array(z.object({ mediaType: text, base64: text })),
});

const turnResult = z.object({
  turn: count,
  outcome: z.enum(["completed", "aborted", "limit", "loop", "failed"]),
  limit: z.optional(z.enum(["rounds", "turns", "tokens", "cost"])),
  text,
  output: z.optional(z.unknown()),
  error: z.nullable(failure),
  rounds: count,
  calls: count,
  usage: z.record(text, count),
  cost: z.nullable(z.number()),
});

const input = z.union([
  text,
  z.array(
    z.union([
      z.strictObject({ type: z.literal("text"), text }),
      z.strictObject({ type: z.literal("image"), mediaType: text, base64: text }),
    ]),
  ),
]);

const journalCall = z.strictObject({ ...instance, input: z.optional(json) });
const steering = z.strictObject({ ...instance, text });

/** The user's answer. `hash` is that of the request, so that an answer counts only for exactly what was shown. */
const approval = z.union([
  z.strictObject({
    allow: z.literal(true),
    hash: text,
    remember: z.optional(z.enum(["session", "always"])),
    width: z.optional(count),
  }),
  z.strictObject({ allow: z.literal(false), message: z.optional(text) }),
]);

/** The requests that a client sends. */
export const clientRequests = {
  open: {
    params: z.strictObject({
      ...instanceOptions,
      session: z.optional(text),
      undoScope: z.optional(z.enum(["session", "workspace"])),
    }),
    result: opened,
  },
  close: { params: z.strictObject(instance), result: nothing },
  definitions: {
    params: z.strictObject({
      ...instance,
      for: z.optional(z.enum(["openai", "openai-chat", "anthropic", "gemini", "mcp", "ai-sdk"])),
      which: z.optional(z.enum(["listed", "all"])),
    }),
    result: z.object({ tools: z.array(json) }),
  },
  call: {
    params: z.strictObject({
      ...instance,
      name: text,
      input: z.optional(z.unknown()),
      timeoutMs: z.optional(count),
      mustAsk: z.optional(text),
      onlyOffered: z.optional(z.boolean()),
    }),
    result: callResult,
  },
  check: {
    params: z.strictObject({
      ...instance,
      name: text,
      input: z.optional(z.unknown()),
      mustAsk: z.optional(text),
      onlyOffered: z.optional(z.boolean()),
    }),
    result: z.object({
      verdict: z.enum(["allow", "ask", "deny"]),
      explanation: text,
      decision: z.nullable(z.looseObject({ rule: text, source: text, reason: text })),
      request: z.nullable(z.looseObject({ tool: text, reason: text, hash: text })),
      error: z.nullable(failure),
    }),
  },
  "approvals.list": {
    params: z.strictObject(instance),
    result: z.object({ approvals: z.array(z.looseObject({ id: text, hash: text, waiting: count })) }),
  },
  "approvals.answer": {
    params: z.strictObject({ ...instance, id: text, answer: approval }),
    result: nothing,
  },
  readOutput: {
    params: z.strictObject({
      ...instance,
      handle: text,
      offset: z.optional(count),
      maxBytes: z.optional(count),
    }),
    result: z.looseObject({ text }),
  },
  undo: { params: journalCall, result: callResult },
  redo: { params: journalCall, result: callResult },
  diff: { params: journalCall, result: callResult },
  log: {
    params: z.strictObject({ ...instance, limit: z.optional(count) }),
    result: z.object({ calls: z.array(z.looseObject({ callId: text, tool: text })) }),
  },
  "agent.open": {
    params: z.strictObject({
      ...instanceOptions,
      model: z.optional(text),
      protocol: z.optional(z.enum(["native", "text"])),
      reasoning: z.optional(z.enum(reasoningEfforts)),
      sampling: z.optional(sampling),
      system: z.optional(text),
      instructions: z.optional(text),
      projectInstructions: z.optional(z.boolean()),
      plan: z.optional(z.boolean()),
      skills: z.optional(z.boolean()),
      limits: z.optional(limits),
      resume: z.optional(text),
      fork: z.optional(z.strictObject({ session: text, turn: z.optional(count) })),
    }),
    result: z.extend(opened, { model: text, turns: count }),
  },
  "agent.run": {
    params: z.strictObject({
      ...instance,
      input,
      isPinned: z.optional(z.boolean()),
      /** The JSON Schema of the final answer. */
      output: z.optional(json),
    }),
    result: turnResult,
  },
  "agent.steer": { params: steering, result: nothing },
  "agent.followUp": { params: steering, result: nothing },
  "agent.abort": { params: z.strictObject(instance), result: nothing },
} as const;

/** The requests that the server sends. */
export const serverRequests = {
  approve: {
    params: z.object({
      ...instance,
      request: z.looseObject({ callId: text, tool: text, reason: text, hash: text }),
    }),
    result: approval,
  },
} as const;

/** The notifications of both sides. */
const notifications = {
  /** Cancels a request of the sender, which still gets its response. */
  cancel: { params: z.strictObject({ id: z.union([text, z.number()]) }) },
  event: {
    params: z.object({
      ...instance,
      /** The id of the request that makes the call; null for the events of an agent. */
      request: z.nullable(z.union([text, z.number()])),
      event: z.looseObject({ type: text, at: z.number() }),
      /** How many notifications were dropped before this one, because the client did not read. */
      dropped: z.optional(count),
    }),
  },
} as const;

export type ClientMethod = keyof typeof clientRequests;
export type ParamsOf<Method extends ClientMethod> = z.infer<(typeof clientRequests)[Method]["params"]>;
export type ResultOf<Method extends ClientMethod> = z.infer<(typeof clientRequests)[Method]["result"]>;

/** Returns the JSON Schema of the protocol. The root describes one line; `$defs` has the parts of each message. */
export function protocolSchema(): object {
  const requests = { ...clientRequests, ...serverRequests };
  const parts = [
    ...Object.entries(requests).flatMap(([method, { params, result }]) => [
      [`${method}.params`, schemaOf(params, "input")] as const,
      [`${method}.result`, schemaOf(result, "output")] as const,
    ]),
    ...Object.entries(notifications).map(
      ([method, { params }]) => [`${method}.params`, schemaOf(params, "input")] as const,
    ),
  ];
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Toolcrib RPC, protocol version ${protocolVersion}: one line of JSON`,
    anyOf: [
      ...Object.keys(requests).map((method) => messageSchema(method, { id: identifier })),
      ...Object.keys(notifications).map((method) => messageSchema(method, {})),
      ...Object.keys(responses).map((name) => ({ $ref: `#/$defs/${name}` })),
    ],
    $defs: { ...Object.fromEntries(parts), ...responses },
  };
}

const identifier = { type: ["string", "integer"] };

function messageSchema(method: string, id: object): object {
  return {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      ...id,
      method: { const: method },
      params: { $ref: `#/$defs/${method}.params` },
    },
    required: ["jsonrpc", ...Object.keys(id), "method", "params"],
    additionalProperties: false,
  };
}

const response = (id: readonly string[], name: string, part: object): object => ({
  type: "object",
  properties: { jsonrpc: { const: "2.0" }, id: { type: id }, [name]: part },
  required: ["jsonrpc", "id", name],
  additionalProperties: false,
});

/** Both kinds of responses. The id of an error is null when its line could not be read. */
const responses = {
  result: response(["string", "integer"], "result", {
    description: "The shape METHOD.result of the request's method.",
    type: "object",
  }),
  error: response(["string", "integer", "null"], "error", {
    type: "object",
    properties: {
      code: { type: "integer" },
      message: { type: "string" },
      data: schemaOf(failure, "output"),
    },
    required: ["code", "message"],
  }),
};

function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): object {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io }) as Record<string, unknown>;
  return described;
}
