import type { ToolDefinition } from "../dialects/definition.ts";
import type { Model, ReasoningEffort, Usage } from "../models/model.ts";
import type { Approve } from "../toolcrib/index.ts";
import type { Conversation } from "./conversation.ts";
import type { AgentHappening } from "./event.ts";
import type { LoopWatch } from "./loops.ts";
import type { SessionParts } from "./session-parts.ts";
import type { Spending } from "./spending.ts";

/** What a session is at work with: what its turns and rounds see of it. */
export interface Works {
  readonly parts: SessionParts;
  readonly conversation: Conversation;
  readonly spending: Spending;
  readonly loops: LoopWatch;
  /** Said by the person and not yet told; who tells it takes it out. */
  readonly steering: string[];
  /** Those who want the conversation to be shorter, and wait to hear whether it is. */
  readonly wantShorter: ((isShorter: boolean) => void)[];
  /** As the model was told of them. */
  readonly toolsByName: ReadonlyMap<string, ToolDefinition>;
  /** As they are now: they may change between two rounds. */
  readonly model: Model;
  readonly reasoning: ReasoningEffort | undefined;
  /** Counts whatever needs a number of its own in the session. */
  nextNumber(): number;
  emit(happening: AgentHappening): void;
  /** Counts what was used and tells of it; what no reply in the conversation accounts for is also written down. */
  spend(model: Model, usage: Usage, options?: { readonly isOfReply?: boolean }): void;
  approverFor(id: string): Approve | undefined;
}
