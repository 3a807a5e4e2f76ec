import type { Agents } from "../contract/agents.ts";
import type { Environment } from "../contract/environment.ts";
import type { Reach } from "../contract/reach.ts";
import type { SearchSettings } from "../contract/settings.ts";
import type { ToolSource } from "../contract/source.ts";
import type { AnyTool } from "../contract/tool.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { JournalBudget } from "../journal/collect/budget.ts";
import type { Approve } from "../pipeline/approvals/approval.ts";
import type { Mode } from "../policy/policy.ts";
import type { SandboxWanted } from "./sandbox-wanted.ts";

/** How a tool room is opened; whatever is left out is as careful as it can be. */
export interface ToolcribOptions {
  /** The folder the tools work in and never leave; the current one if not said. */
  readonly workspace?: string;
  /** Which names and shapes the tools have; `toolcrib` if not said. */
  readonly dialect?: string | Dialect;
  /** How much is asked; `cautious` if not said: reads and writes pass, all else asks. */
  readonly mode?: Mode;
  /** Asks the person; without it, what would be asked is refused. */
  readonly approve?: Approve;
  /**
   * A call that would be asked, and has nobody to ask, is refused with the id of its question: a person answers it with
   * `toolcrib approve`, and the answer counts for the same call made again.
   */
  readonly keepQuestions?: boolean;
  /** How long such a call waits for its answer before it is refused; not at all if not said. */
  readonly waitForApprovalMs?: number;
  /** Rules above those of all files, one each: `deny run git push **`. */
  readonly rules?: readonly string[];
  /** Files of such rules. */
  readonly ruleFiles?: readonly string[];
  /** Own tools beside the dialect's; a name that is taken is replaced, the last one wins. */
  readonly tools?: readonly AnyTool[];
  /** Tools of other servers, which may change while the room is open; the room closes them. */
  readonly sources?: readonly ToolSource[];
  /**
   * No other tools than these, listed and called: by name in the dialect or canonical, by pattern (`file.*`), by a set of the
   * dialect, or `all`. If not said, all can be called, and those are listed that the dialect lists at once.
   */
  readonly allowedTools?: readonly string[];
  /** No tool that may change anything. */
  readonly readOnly?: boolean;
  /**
   * Goes on with an earlier session of this workspace: its calls are this one's, and can be undone. A new one if not said.
   * `unavailable` while it is open in a process that lives.
   */
  readonly session?: string;
  /** Other agents for the one who calls; without them the tools `agent.*` are not there. */
  readonly agents?: Agents;
  /** Where files can be reached by name besides the workspace; else as the dialect promises, which is nowhere for most. */
  readonly reach?: Reach;
  /** Where journal and outputs are kept; below the XDG state directory if not said. */
  readonly stateDirectory?: string;
  /** How much of the past is kept; else as TOOLCRIB_JOURNAL_MAX_BYTES and TOOLCRIB_JOURNAL_MAX_DAYS say. */
  readonly journal?: Partial<JournalBudget>;
  /** Where the person's own rules are, and those that answers add; below the XDG config directory if not said. */
  readonly configDirectory?: string;
  /** Where things happen; this machine if not said. */
  readonly environment?: Environment;
  /**
   * What commands run in: the best that can be had ("auto", if neither this nor TOOLCRIB_SANDBOX says otherwise), or just
   * this level; a command fails where that cannot be had.
   */
  readonly sandbox?: SandboxWanted;
  /**
   * What a model is shown of one answer, in tokens as a careful reader would count them, where tools allow themselves more:
   * for clients that refuse what is longer. The rest is kept.
   */
  readonly maxShownTokens?: number;
  /** Who answers web.search; else as TOOLCRIB_SEARCH says, or nobody. */
  readonly search?: SearchSettings;
  /**
   * Whose calls `journal.undo` takes back: those made in this room, or all that were ever made in this workspace;
   * `session` if not said. Only what acts for a person should open a room with `workspace`.
   */
  readonly undoes?: "session" | "workspace";
  /**
   * What becomes of a transaction that is still open when the room is closed: it is rolled back, unless told to be left
   * to the next room that is opened so. For rooms of a single call each, as on the command line.
   */
  readonly parkTransaction?: boolean;
}
