export type { ToolAccess, ToolRisk } from "../contract/access.ts";
export type { AgentStatus, Agents, AgentTask } from "../contract/agents.ts";
export type {
  Backend,
  BackendEntry,
  BackendExecOptions,
  BackendExit,
  BackendRange,
} from "../contract/backend.ts";
export type { CallEvent, DecisionRecord, SandboxLevel } from "../contract/call.ts";
export type { CodeService } from "../contract/code.ts";
export type {
  ConversationEntry,
  ConversationInfo,
  ConversationRange,
  Conversations,
} from "../contract/conversations.ts";
export type { Documents } from "../contract/document.ts";
export type { Embedder, EmbeddingRequest, Embeddings } from "../contract/embeddings.ts";
export type {
  Directory,
  DirectoryEntry,
  Environment,
  FileContent,
  FileInfo,
  LineSlice,
  ProcessExit,
  ProcessStartOptions,
  RecoveredChange,
  RunningProcess,
  SandboxReport,
} from "../contract/environment.ts";
export {
  type CallFailure,
  type ErrorCode,
  type ErrorDetails,
  errorCodes,
  type TextForUser,
  ToolError,
} from "../contract/error.ts";
export type { ExtraRoots, PathGuard, PathRefusal } from "../contract/guard.ts";
export type {
  ChangedFile,
  ChangedFiles,
  ChangeHistory,
  Checkpoint,
  Transaction,
  Transactions,
  UndoneChanges,
} from "../contract/history.ts";
export type { CommandHook, HookAnswer, HookEvent } from "../contract/hooks.ts";
export type { LanguageServerSetting } from "../contract/language-server.ts";
export type { OutputKept, Outputs } from "../contract/output.ts";
export type { Processes, ProcessStatus, Shells } from "../contract/process.ts";
export type { InferSchema, JsonSchema, StandardSchema } from "../contract/schema.ts";
export type {
  AnyTool,
  OutputLimits,
  Plan,
  PlanMemory,
  PreviewContext,
  SearchSettings,
  SeenFiles,
  SeenPart,
  Tool,
  ToolContext,
  ToolFinder,
  ToolHints,
  ToolImage,
  ToolOutput,
  ToolSettings,
  ToolSource,
} from "../contract/tool.ts";
export type { PageMemory } from "../contract/web.ts";
export type { ToolDefinition } from "../dialects/definition.ts";
export type { Dialect, DialectTool, OfferedTool, ResolvedCall } from "../dialects/dialect.ts";
export { dialectFor, dialectNames } from "../dialects/dialects.ts";
export type { ToolEffects } from "../dialects/effects.ts";
export { type CanonicalTools, renameTool } from "../dialects/rename.ts";
export { reshapeTool } from "../dialects/reshape.ts";
export {
  AnsweredElsewhere,
  type Approval,
  type ApprovalRequest,
  type Approve,
  type ShownPart,
  type ShownRequest,
} from "../engine/approvals/approval-request.ts";
export type { Approvals, AskOptions } from "../engine/approvals/approvals.ts";
export type { ApprovalAnswer, PendingApproval } from "../engine/approvals/question-store.ts";
export { environmentOf } from "../environment/backend/backend-environment.ts";
export { openLocalEnvironment } from "../environment/local/local-environment.ts";
export { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
export type { JournalBudget } from "../journal/collect/collector.ts";
export type { CallRecord, ClientInfo } from "../journal/journal.ts";
export { overrideEnvironment } from "../lib/override-environment.ts";
export type { CallEventListener, CallEventStream } from "../pipeline/call-events.ts";
export {
  type CommandSegment,
  type PolicyMode,
  type PolicyPart,
  type PolicyVerdict,
  policyModes,
  type RuleOrigin,
} from "../policy/policy.ts";
export { type DescribedTool, describeActions, type ModelAction } from "../wire/actions/describe-actions.ts";
export { type ActionReading, readActions } from "../wire/actions/read-actions.ts";
export type { WireFormat, WireTools } from "../wire/formats.ts";
export type { CallHooks, HookBlock, HookedCall, HookResult } from "./call-hooks.ts";
export type { CallError, CallResult } from "./call-result.ts";
export type {
  AddedCaller,
  CallCheck,
  Caller,
  CallerOptions,
  CallOptions,
  CheckOptions,
  DefinitionOptions,
} from "./caller.ts";
export { defineTool, type OwnTool, type OwnToolContext } from "./define-tool.ts";
export { openToolcrib } from "./open-toolcrib.ts";
export type { OutputPart, OutputRange } from "./open-workspace.ts";
export type { SandboxSetting, TargetOptions, ToolcribOptions } from "./options.ts";
export type { ProjectFile, ProjectFiles } from "./project-files.ts";
export type { Toolcrib } from "./toolcrib.ts";
