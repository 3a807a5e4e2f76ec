import type {
  CallSummary,
  HeldBackEntry,
  Overview,
  PendingQuestion,
  SessionSummary,
  WorkspaceInfo,
} from "../api.ts";
import { toHeldBackEntry, toSummary } from "./calls.ts";
import type { Sessions } from "./sessions.ts";
import { isFolder, type Workspaces } from "./workspaces.ts";

/** The part of the overview that one journal determines. */
export interface WorkspacePart {
  readonly info: WorkspaceInfo;
  readonly sessions: readonly SessionSummary[];
  readonly running: readonly CallSummary[];
  readonly heldBack: readonly HeldBackEntry[];
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
        exists: path !== null && (isFolder(path) || !path.startsWith("/")),
        lastAt: latest?.startedAt ?? 0,
        calls,
      },
      sessions: sessions.open(id),
      running: journal.runningCalls().map((call) => toSummary(call, id)),
      heldBack: journal
        .heldBack()
        .map((held) => toHeldBackEntry(held, id))
        .filter(({ isAllowed }) => !isAllowed),
    };
  });
}

export function toOverview(
  version: string,
  parts: readonly WorkspacePart[],
  approvals: readonly PendingQuestion[],
): Overview {
  const asking = new Set(approvals.flatMap(({ session, isAnswered }) => (isAnswered ? [] : [session])));
  const sessions = parts.flatMap((part) => part.sessions);
  return {
    version,
    workspaces: parts.map(({ info }) => info).sort((one, other) => other.lastAt - one.lastAt),
    approvals,
    sessions: sessions
      // An agent whose question is stored does not know that it waits for the user.
      .map((one) => (one.live && asking.has(one.session) ? ({ ...one, live: "awaiting" } as const) : one))
      .sort((one, other) => other.lastAt - one.lastAt),
    running: parts.flatMap(({ running }) => running).sort((one, other) => one.startedAt - other.startedAt),
    heldBack: parts.flatMap(({ heldBack }) => heldBack).sort((one, other) => other.heldAt - one.heldAt),
  };
}
