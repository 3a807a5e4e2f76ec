export type { ToolAccess, ToolRisk } from "../contract/access.ts";
export type { AgentStatus, Agents, AgentTask } from "../contract/agents.ts";
export type { ApprovalChoice, ApprovalView, ViewPart } from "../contract/approval-view.ts";
export type {
  Backend,
  BackendEntry,
  BackendExecOptions,
  BackendExit,
  BackendRange,
} from "../contract/backend.ts";
export type { CallEvent, DecisionRecord, SandboxLevel } from "../contract/call.ts";
export type { CodeService, ProjectIndex } from "../contract/code.ts";
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
  RolledBack,
  Transaction,
  Transactions,
  UndoneChanges,
} from "../contract/history.ts";
export type { CommandHook, HookAnswer, HookEvent } from "../contract/hooks.ts";
export type { LanguageServerSetting } from "../contract/language-server.ts";
export type { OutputKept, Outputs } from "../contract/output.ts";
export type { Processes, ProcessOutput, ProcessStatus, Shells } from "../contract/process.ts";
export type { InferSchema, JsonSchema, StandardSchema } from "../contract/schema.ts";
export type { ScriptResult } from "../contract/script.ts";
export type {
  AnyTool,
  FoundTools,
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
export { approvalText, approvalView } from "../engine/approvals/approval-view.ts";
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
export type { AgentWaitData } from "../tools/agent/wait.ts";
export type { BlockEditData } from "../tools/code/block-fields.ts";
export type { CodeDefinitionData } from "../tools/code/definition.ts";
export type { CodeDiagnosticsData } from "../tools/code/diagnostics.ts";
export type { CodeSearchData } from "../tools/code/found-code.ts";
export type { CodeHoverData } from "../tools/code/hover.ts";
export type { CodeMapData } from "../tools/code/map.ts";
export type { ReadSymbolData } from "../tools/code/read-symbol.ts";
export type { CodeReferencesData } from "../tools/code/references.ts";
export type { CodeRenameData } from "../tools/code/rename.ts";
export type { SymbolsData } from "../tools/code/symbols.ts";
export type { ValidateData } from "../tools/code/validate.ts";
export type { DocumentReadData } from "../tools/document/read.ts";
export type { EditData } from "../tools/edit/describe-edit.ts";
export type { EditSmartData } from "../tools/edit/smart.ts";
export type { FileDeleteData } from "../tools/file/delete.ts";
export type { FileListData } from "../tools/file/list.ts";
export type { FileMoveData } from "../tools/file/move.ts";
export type { FileReadData } from "../tools/file/read.ts";
export type { FileWriteData } from "../tools/file/write.ts";
export type { GitBlameData } from "../tools/git/blame.ts";
export type { GitBranchData } from "../tools/git/branch.ts";
export type { GitCommitData } from "../tools/git/commit.ts";
export type { GitDiffData } from "../tools/git/diff.ts";
export type { GitLogData } from "../tools/git/log.ts";
export type { GitShowData } from "../tools/git/show.ts";
export type { GitStageData } from "../tools/git/stage.ts";
export type { GitStatusData } from "../tools/git/status.ts";
export type { JournalCheckpointData } from "../tools/journal/checkpoint.ts";
export type { ShownValue } from "../tools/math/calculate/show-value.ts";
export type { MathCalculateData } from "../tools/math/calculate.ts";
export type { NotebookEditData } from "../tools/notebook/edit.ts";
export type { ProcessListData } from "../tools/process/list.ts";
export type { ProcessStartData } from "../tools/process/start.ts";
export type { GlobData } from "../tools/search/glob.ts";
export type { GrepData } from "../tools/search/grep.ts";
export type { ShellRunData } from "../tools/shell/run.ts";
export type { TextEchoInput } from "../tools/text/echo.ts";
export type { ZonedTime } from "../tools/time/now.ts";
export type { TransactionCheckData } from "../tools/transaction/check.ts";
export type { WebFetchData } from "../tools/web/fetch.ts";
export type { WebSearchData } from "../tools/web/search.ts";
export { type DescribedTool, describeActions, type ModelAction } from "../wire/actions/describe-actions.ts";
export { type ActionReading, readActions } from "../wire/actions/read-actions.ts";
export type { WireFormat, WireTools } from "../wire/formats.ts";
export type { CallHooks, HookBlock, HookedCall, HookResult } from "./call-hooks.ts";
export type { CallError, CallResult } from "./call-result.ts";
export type {
  AddedCaller,
  CallCheck,
  CallData,
  Caller,
  CallerOptions,
  CallInput,
  CallOptions,
  CheckOptions,
  DefinitionOptions,
  DialectName,
  ToolName,
  ToolsOf,
} from "./caller.ts";
export { defineTool, type OwnTool, type OwnToolContext } from "./define-tool.ts";
export { openToolcrib } from "./open-toolcrib.ts";
export type { OutputPart, OutputRange } from "./open-workspace.ts";
export type { SandboxSetting, TargetOptions, ToolcribOptions } from "./options.ts";
export type { ProjectFile, ProjectFiles, ProjectLocation } from "./project-files.ts";
export type { Toolcrib } from "./toolcrib.ts";
