/** Agents: a model, tools, and the loop between them. */
export type * from "../models/message.ts";
export * from "../models/model.ts";
export * from "../models/model-error.ts";
export { openModel } from "../models/open-model.ts";
export * from "../models/recorded/recorded-model.ts";
export type { ModelSettings, ProviderConfiguration } from "../models/settings.ts";
export { type CreateSessionOptions, createSession } from "./create-session.ts";
export type * from "./event.ts";
export { defaultLimits } from "./limits.ts";
export { readModelSettings } from "./read-model-settings.ts";
export {
  type ExportFormat,
  type ExportOptions,
  exportFormats,
  exportSession,
} from "./records/export/export-session.ts";
export type * from "./session.ts";
