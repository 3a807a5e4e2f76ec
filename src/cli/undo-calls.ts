import { ToolError } from "../contract/error.ts";
import type { UndoneChanges } from "../contract/history.ts";
import { commandsOnTarget } from "../lib/text/commands-on-target.ts";
import { printable } from "../lib/text/printable.ts";
import { toCommandLine } from "../lib/text/shell-quote.ts";
import type { CallResult, Toolcrib } from "../toolcrib/index.ts";
import type { WorkspaceJournal } from "../toolcrib/workspace-journal.ts";
import { confirm } from "./approvals/ask-on-terminal.ts";
import { callJournal } from "./call-journal.ts";
import type { Arguments } from "./command.ts";
import { callOf, sinceOf, undoCommand } from "./commands/undo.ts";
import { withJournal } from "./log/log.ts";
import { readCount } from "./parse-arguments.ts";
import { forReader } from "./report.ts";
import { knownSessions, matchSession, noSuchSession } from "./session/match-session.ts";
import { canAsk, print, remark } from "./terminal.ts";
import { commitQuestion, undoForUser } from "./undo-for-user.ts";

/** `toolcrib undo`. Asks first when a commit contains the changes. */
export async function undoCalls(given: Arguments): Promise<number> {
  const { options } = given;
  const input = {
    call: callOf(given, undoCommand) ?? (await sessionOf(given)),
    last: readCount(given, "last"),
    checkpoint: options.get("to"),
    since: sinceOf(given),
    paths: options.get("file")?.split("\n"),
    hunk: readCount(given, "hunk"),
    merge: options.has("merge") || undefined,
    skip_changed: options.has("skip-changed") || undefined,
    dry_run: options.has("dry-run") || undefined,
  };
  const show = ({ data }: CallResult) =>
    print(forReader(1, commandsOnTarget(undoForUser(data as UndoneChanges, input), options.get("target"))));
  return undoAsking(given, input, show);
}

/** `toolcrib redo`. Asks first when a commit contains what it would overwrite. */
export async function redoUndo(given: Arguments): Promise<number> {
  const { options } = given;
  const input = {
    redo: true,
    merge: options.has("merge") || undefined,
    skip_changed: options.has("skip-changed") || undefined,
    dry_run: options.has("dry-run") || undefined,
  };
  return undoAsking(given, input, ({ content }) => print(`${forReader(1, content)}\n`));
}

function undoAsking(
  given: Arguments,
  input: { readonly redo?: boolean; readonly merge: true | undefined },
  show: (result: CallResult) => void,
): Promise<number> {
  const { options } = given;
  const isAsked = !options.has("yes") && !options.has("dry-run");
  return callJournal("journal.undo", input, options, show, isAsked ? confirmCommits : undefined);

  /** Asks whether to undo what commits contain. Returns the error if the user does not want it. */
  async function confirmCommits(crib: Toolcrib, signal: AbortSignal): Promise<ToolError | undefined> {
    const planned = await crib.call("journal.undo", { ...input, dry_run: true }, { signal });
    const { commits = [] } = (planned.data ?? {}) as Partial<UndoneChanges>;
    if (commits.length === 0) return undefined;
    const { warning, action } = commitQuestion(commits, input);
    if (!canAsk(options)) {
      const hint = `To ${action.toLowerCase()}, run: ${asCommand(given, input.redo ? "redo" : "undo")} --yes`;
      return new ToolError("needs-approval", warning, { hint });
    }
    remark(`${printable(warning)}.\n`);
    if (await confirm(`${action}?`, signal)) return undefined;
    return new ToolError("denied", input.redo ? "Nothing was redone" : "Nothing was undone");
  }
}

/** Returns the command line with these arguments. */
function asCommand({ options, operands }: Arguments, command: string): string {
  const flags = [...options].flatMap(([name, value]) =>
    value === "" ? [`--${name}`] : value.split("\n").flatMap((one) => [`--${name}`, one]),
  );
  return toCommandLine(["toolcrib", command, ...operands, ...flags]);
}

/** Returns the id of the session of `--session`, which must have changed something. */
async function sessionOf(given: Arguments): Promise<string | undefined> {
  const name = given.options.get("session");
  if (name === undefined) return undefined;
  return withJournal(given, (journal) => {
    const session = name === "last" ? latestSession(journal) : matchSession(knownSessions(journal), name);
    if (session === undefined) throw noSuchSession(name, journal);
    if (journal.changing({ session, limit: 1 }).length > 0) return session;
    throw new ToolError("not-found", `The session ${session} changed no files`, {
      hint: `To list its calls: toolcrib log --session ${session}`,
    });
  });
}

/** Returns the session of the latest call that changed something and was not an undo. */
function latestSession(journal: WorkspaceJournal): string | undefined {
  for (let upTo = Number.MAX_SAFE_INTEGER; ; ) {
    const calls = journal.changing({ upTo, limit: 20 });
    const found = calls.find(({ tool }) => tool !== "journal.undo");
    if (found !== undefined || calls.length === 0) return found?.session;
    upTo = calls.at(-1)!.sequence - 1;
  }
}
