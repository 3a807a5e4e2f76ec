import { counted, showSize } from "../../lib/text/format-quantity.ts";
import type {
  JournalBudget,
  JournalReport,
  JournalSurvey,
  WorkspaceJournal,
} from "../../toolcrib/workspace-journal.ts";
import { describeFault } from "../log/log.ts";
import { toLocalTime } from "../terminal.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

export interface Examination {
  readonly findings: readonly Finding[];
  readonly figures: { readonly proof: JournalReport | null; readonly survey: JournalSurvey | null };
}

/** Examines the journal. Does not open a damaged database for use, which would move it aside. */
export async function examineJournal(
  journal: WorkspaceJournal,
  budget: JournalBudget,
  signal: AbortSignal,
): Promise<Examination> {
  const proof = await journal.verify({ signal, sampleAbove: 50_000 });
  const survey = proof.fault?.isDamage ? null : await journal.survey();
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
  const { records, sampled, fault, head } = proof;
  if (fault?.isDamage)
    return problem(
      "journal",
      `record ${fault.sequence} ${fault.reason}`,
      "Copy the journal now if you want to repair it: the next call moves it aside and starts a new one.",
    );
  if (fault) {
    const { message, hint } = describeFault(proof);
    return problem("journal", message, hint);
  }
  const size = showSize(survey?.bytes ?? 0);
  const checked =
    sampled === undefined
      ? "none altered"
      : `none altered in a sample of ${sampled} (check all: toolcrib log verify)`;
  return ok("journal", `${counted(records, "record")}, ${size}; ${checked}; head ${head.slice(0, 16)}…`);
}

function examineSize(
  { contents, oldestUndoable }: JournalSurvey,
  { maxBytes, maxDays }: JournalBudget,
): Finding {
  const share = maxBytes === 0 ? "" : ` (${Math.round((100 * contents.bytes) / maxBytes)} %)`;
  const used = `${counted(contents.count, "old content")} stored, ${showSize(contents.bytes)} of ${showSize(maxBytes)}${share}, for ${counted(maxDays, "day")}`;
  if (contents.bytes > maxBytes)
    return problem("undo", `${used}: over the limit`, "Delete old contents now: toolcrib doctor --collect");
  if (oldestUndoable === undefined) return ok("undo", `${used}; nothing to undo`);
  const { callId, startedAt } = oldestUndoable;
  return ok("undo", `${used}; back to ${callId} (${toLocalTime(startedAt)})`);
}

function examineContents({ checked: { count, missing, damaged } }: JournalSurvey): readonly Finding[] {
  const [first] = [...missing, ...damaged];
  if (first === undefined) return [];
  const faults = [
    ...(missing.length > 0 ? [`${missing.length} missing`] : []),
    ...(damaged.length > 0 ? [`${damaged.length} damaged`] : []),
  ];
  return [
    problem(
      "undo",
      `${first.path} of ${first.callId} cannot be restored: of ${counted(count, "old content")} for undo of the latest calls, ${faults.join(" and ")}`,
      "Restore the lost files from git or a backup.",
    ),
  ];
}

function examineCalls({ openSessions, interrupted, conversations }: JournalSurvey): readonly Finding[] {
  const stored =
    conversations.count === 0
      ? ""
      : `; ${counted(conversations.count, "conversation")} stored, ${showSize(conversations.bytes)}`;
  const sessions = ok("sessions", `${openSessions.length || "none"} open${stored}`);
  if (interrupted.length === 0) return [sessions];
  const names = interrupted.slice(-3).map(({ callId, tool }) => `${callId} (${tool})`);
  const message = `${counted(interrupted.length, "interrupted call")} (the process died); the latest: ${names.join(", ")}`;
  return [
    sessions,
    warning(
      "calls",
      message,
      "Show what a call changed: toolcrib diff <call>. Undo it: toolcrib undo <call>",
    ),
  ];
}

function examineSetAside({ setAside }: JournalSurvey): readonly Finding[] {
  return setAside.map(({ file, bytes }) =>
    problem(
      "set aside",
      `a damaged journal of ${showSize(bytes)}: ${file}`,
      "Delete it, with its -wal and -shm files, when you no longer need it. Its calls cannot be undone.",
    ),
  );
}
