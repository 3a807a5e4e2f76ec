import { counted, showSize } from "../../lib/text/format-quantity.ts";
import type {
  JournalBudget,
  JournalReport,
  JournalSurvey,
  WorkspaceJournal,
} from "../../toolcrib/workspace-journal.ts";
import { tellFault } from "../log/verify-log.ts";
import { toLocalTime } from "../terminal.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

export interface Examination {
  readonly findings: readonly Finding[];
  readonly figures: { readonly proof: JournalReport | null; readonly survey: JournalSurvey | null };
}

/** A broken database is only looked at: to use it would set it aside. */
export async function examineJournal(
  desk: WorkspaceJournal,
  budget: JournalBudget,
  signal: AbortSignal,
): Promise<Examination> {
  const proof = await desk.verify({ signal });
  const survey = proof.fault?.isDamage ? null : await desk.survey();
  const findings = [
    examineProof(proof, survey),
    ...(survey === null
      ? []
      : [
          examineSize(survey, budget),
          ...examineContents(survey),
          ...examineCalls(survey),
          ...examineSetAside(survey),
        ]),
  ];
  return { findings, figures: { proof, survey } };
}

function examineProof(proof: JournalReport, survey: JournalSurvey | null): Finding {
  const { records, fault, head } = proof;
  if (fault?.isDamage)
    return wrong(
      "journal",
      `record ${fault.sequence} ${fault.reason}`,
      "The next call sets the journal aside and begins a new one. Copy it first if you want to mend it.",
    );
  if (fault) {
    const { message, hint } = tellFault(proof);
    return wrong("journal", message, hint);
  }
  const size = showSize(survey?.bytes ?? 0);
  return well(
    "journal",
    `${counted(records, "record")}, ${size}; none was altered; head ${head.slice(0, 16)}…`,
  );
}

function examineSize(
  { contents, oldestUndoable }: JournalSurvey,
  { maxBytes, maxDays }: JournalBudget,
): Finding {
  const share = maxBytes === 0 ? "" : ` (${Math.round((100 * contents.bytes) / maxBytes)} %)`;
  const used = `${counted(contents.count, "content")} kept, ${showSize(contents.bytes)} of ${showSize(maxBytes)}${share}, at most ${counted(maxDays, "day")}`;
  if (contents.bytes > maxBytes)
    return wrong(
      "undo",
      `${used}: over the budget`,
      "Collect now: toolcrib doctor --collect. What is ten minutes old stays, and what open sessions, transactions and checkpoints need.",
    );
  if (oldestUndoable === undefined) return well("undo", `${used}; nothing is there to be undone`);
  const { callId, startedAt } = oldestUndoable;
  return well("undo", `${used}; back to ${callId} (${toLocalTime(startedAt)})`);
}

function examineContents({ checked: { count, missing, damaged } }: JournalSurvey): readonly Finding[] {
  const [first] = [...missing, ...damaged];
  if (first === undefined) return [];
  const faults = [
    ...(missing.length > 0 ? [`${missing.length} missing`] : []),
    ...(damaged.length > 0 ? [`${damaged.length} damaged`] : []),
  ];
  return [
    wrong(
      "undo",
      `of ${counted(count, "content")} that the latest calls need, ${faults.join(" and ")}; ${first.path} of ${first.callId} cannot be brought back`,
      "What is lost can only come from elsewhere, a backup of the state folder or git. Undo the rest with --skip-changed.",
    ),
  ];
}

function examineCalls({ openSessions, interrupted, conversations }: JournalSurvey): readonly Finding[] {
  const kept =
    conversations.count === 0
      ? ""
      : `; ${counted(conversations.count, "conversation")} kept, ${showSize(conversations.bytes)}`;
  const sessions = well(
    "sessions",
    (openSessions.length === 0 ? "none is open" : `${openSessions.length} open`) + kept,
  );
  if (interrupted.length === 0) return [sessions];
  const names = interrupted.slice(-3).map(({ callId, tool }) => `${callId} (${tool})`);
  const message = `${counted(interrupted.length, "call was", "calls were")} interrupted: their process died; the latest: ${names.join(", ")}`;
  return [
    sessions,
    note("calls", message, "See what one did: toolcrib diff <call>. Take it back: toolcrib undo <call>."),
  ];
}

function examineSetAside({ setAside }: JournalSurvey): readonly Finding[] {
  return setAside.map(({ file, bytes }) =>
    wrong(
      "set aside",
      `a damaged journal of ${showSize(bytes)}: ${file}`,
      "What it held can no longer be undone. Delete it, with its -wal and -shm, when you do not need it any more.",
    ),
  );
}
