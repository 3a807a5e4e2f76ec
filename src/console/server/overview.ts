import { statsAt } from "../../system/attempt.ts";
import type { CallSummary, Overview, PendingQuestion, SessionSummary, WorkspaceInfo } from "../api.ts";
import { toSummary } from "./calls.ts";
import type { Sessions } from "./sessions.ts";
import type { Workspaces } from "./workspaces.ts";

/** The part of the overview that one journal determines. */
export interface WorkspacePart {
  readonly info: WorkspaceInfo;
  readonly sessions: readonly SessionSummary[];
  readonly running: readonly CallSummary[];
}

/** Reads the part of one workspace. */
export function readPart(workspaces: Workspaces, sessions: Sessions, id: string): WorkspacePart {
  const path = workspaces.path(id);
  return workspaces.read(id, (journal) => {
    const [latest] = journal.summaries({ limit: 1 }).calls;
    const calls = journal.countMatching({}) ?? 0;
    return {
      info: {
        id,
        path,
        exists: path !== null && statsAt(path) !== undefined,
        lastAt: latest?.startedAt ?? 0,
        calls,
      },
      sessions: sessions.open(id),
      running: journal.runningCalls().map((call) => toSummary(call, id)),
    };
  });
}

export function toOverview(
  version: string,
  parts: readonly WorkspacePart[],
  approvals: readonly PendingQuestion[],
): Overview {
  return {
    version,
    workspaces: parts.map(({ info }) => info).sort((one, other) => other.lastAt - one.lastAt),
    approvals,
    sessions: parts.flatMap(({ sessions }) => sessions).sort((one, other) => other.lastAt - one.lastAt),
    running: parts.flatMap(({ running }) => running).sort((one, other) => one.startedAt - other.startedAt),
  };
}
