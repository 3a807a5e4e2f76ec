/** Agents: a model, tools, and the loop between them. */

export { openEmbedder } from "../models/embeddings.ts";
export type {
  AssistantMessage,
  CallAnswer,
  CallInput,
  CallPart,
  ImagePart,
  Message,
  ProviderMeta,
  ReasoningPart,
  ReplyPart,
  TextPart,
  ToolMessage,
  UserMessage,
} from "../models/message.ts";
export {
  type FinishReason,
  type Model,
  type ModelEvent,
  type ModelFacts,
  type ModelPrices,
  type ModelRequest,
  type ReasoningEffort,
  reasoningEfforts,
  type Sampling,
  type TokenUsage,
} from "../models/model.ts";
export {
  ModelError,
  type ModelErrorCode,
  type ModelErrorOptions,
  modelErrorCodes,
} from "../models/model-error.ts";
export { openModel } from "../models/open-model.ts";
export {
  type ModelRecording,
  type RecordedCall,
  type RecordedReply,
  recordedModel,
} from "../models/recorded/recorded-model.ts";
export type { ModelSettings, ProviderConfiguration } from "../models/settings.ts";
export type { HookBlock, HookedCall } from "../toolcrib/index.ts";
export type { OutputOf, OutputSchema } from "./answer-schema.ts";
export { type CreateSessionOptions, createSession } from "./create-session.ts";
export type {
  AgentEvent,
  AgentEventBody,
  AgentFailure,
  ContextUse,
  SessionState,
  ToolProtocol,
  TurnResult,
} from "./event.ts";
export { defaultLimits } from "./limits.ts";
export { readModelSettings } from "./read-model-settings.ts";
export {
  type ExportFormat,
  type ExportOptions,
  exportFormats,
  exportSession,
} from "./records/export/export-session.ts";
export type {
  RunOptions,
  Session,
  SessionLimits,
  SessionOptions,
  Turn,
} from "./session.ts";
export type {
  HookedCompaction,
  HookedPrompt,
  HookedReply,
  HookedRequest,
  HookedStop,
  SessionHooks,
} from "./session-hooks.ts";
export { MemorySessionStore, type SessionStore } from "./session-store.ts";
export type { Skill, Skills } from "./skills.ts";
