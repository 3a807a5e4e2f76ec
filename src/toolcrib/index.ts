export type { Access, Risk } from "../contract/access.ts";
export type * from "../contract/agents.ts";
export type { Account, CallEvent, DecisionRecord, SandboxLevel, Success } from "../contract/call.ts";
export type * from "../contract/code.ts";
export type * from "../contract/conversations.ts";
export type * from "../contract/document.ts";
export type * from "../contract/environment.ts";
export { type ErrorCode, errorCodes, ToolError } from "../contract/error.ts";
export type * from "../contract/guard.ts";
export type * from "../contract/history.ts";
export type * from "../contract/history.ts";
export type * from "../contract/process.ts";
export type * from "../contract/tool.ts";
export type * from "../contract/tool.ts";
export type * from "../contract/tool.ts";
export type * from "../contract/tool.ts";
export type {
  AnyTool,
  Image,
  OutputLimits,
  Tool,
  ToolContext,
  ToolHints,
  ToolOutput,
} from "../contract/tool.ts";
export type * from "../contract/web.ts";
export type { ToolDefinition } from "../dialects/definition.ts";
export type { Dialect, DialectTool, OfferedTool, ResolvedCall } from "../dialects/dialect.ts";
export { dialectFor, dialectNames } from "../dialects/dialects.ts";
export type { ToolEffects } from "../dialects/effects.ts";
export { rename } from "../dialects/rename.ts";
export { reshape } from "../dialects/reshape.ts";
export { openLocalEnvironment } from "../environment/local/local-environment.ts";
export { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
export type { JournalBudget } from "../journal/collect/collector.ts";
export type { CallRecord } from "../journal/journal.ts";
export type {
  Approval,
  ApprovalRequest,
  Approve,
  ShownPart,
  ShownRequest,
} from "../pipeline/approvals/approval-request.ts";
export type { EventListener, EventSource } from "../pipeline/call-events.ts";
export type { CommandSegment, Part, PartVerdict, RuleOrigin } from "../policy/policy.ts";
export { type Mode, modes } from "../policy/policy.ts";
export type { Action } from "../wire/actions/describe-actions.ts";
export { type DescribedTool, describeActions } from "../wire/actions/describe-actions.ts";
export { type ActionReading, readActions } from "../wire/actions/read-actions.ts";
export type { WireFormat, WireTools } from "../wire/formats.ts";
export type { CallFailure, CallResult } from "./call-result.ts";
export type { AddedCaller, Caller, CallerOptions, CallOptions, DefinitionOptions } from "./caller.ts";
export type { OutputPart, OutputRange } from "./open-workspace.ts";
export type { SandboxWanted, ToolcribOptions } from "./options.ts";
export type { ApprovalAnswer, PendingApproval } from "./pending-approvals.ts";
export type { ProjectFile, ProjectFiles } from "./project-files.ts";
export { openToolcrib, type Toolcrib } from "./toolcrib.ts";
