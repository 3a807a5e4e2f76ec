import { existsSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../contract/error.ts";
import type { Undone } from "../contract/history.ts";
import { printable } from "../lib/text/printable.ts";
import { toCommandLine } from "../lib/text/shell-quote.ts";
import { repositoryRoot } from "../system/directories.ts";
import type { CallResult, Toolcrib } from "../toolcrib/index.ts";
import { confirm } from "./approvals/ask-on-terminal.ts";
import { callJournal } from "./call-journal.ts";
import type { Arguments } from "./command.ts";
import { callOf, sinceOf, undoCommand } from "./commands/undo.ts";
import { withJournal } from "./log/log.ts";
import { readCount } from "./parse-arguments.ts";
import { forReader } from "./report.ts";
import { knownSessions, matchSession, noSuchSession } from "./session/match-session.ts";
import { canAsk, print, remark } from "./terminal.ts";
import { undoForUser } from "./undo-for-user.ts";

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
  const show = ({ data }: CallResult) => print(forReader(1, undoForUser(data as Undone, input)));
  const isAsked = !options.has("yes") && !options.has("dry-run");
  return callJournal("journal.undo", input, options, show, isAsked ? confirmCommits : undefined);

  async function confirmCommits(crib: Toolcrib, signal: AbortSignal): Promise<ToolError | undefined> {
    if (!existsSync(join(repositoryRoot(crib.workspace), ".git"))) return undefined;
    const planned = await crib.call("journal.undo", { ...input, dry_run: true }, { signal });
    const { commits = [] } = (planned.data ?? {}) as Partial<Undone>;
    return commits.length === 0 ? undefined : askAcross(commits, given, signal);
  }
}

/** Asks whether to undo what these commits contain. Returns the error if the user does not want it. */
async function askAcross(
  commits: NonNullable<Undone["commits"]>,
  given: Arguments,
  signal: AbortSignal,
): Promise<ToolError | undefined> {
  const names = commits.map(({ hash, subject }) => `${hash.slice(0, 7)} ${JSON.stringify(subject)}`);
  const [noun, verb] = names.length === 1 ? ["Commit", "contains"] : ["Commits", "contain"];
  const message = `${noun} ${names.join(", ")} ${verb} these changes; undo changes the files, not the ${noun.toLowerCase()}`;
  if (!canAsk(given.options))
    return new ToolError("needs-approval", message, {
      hint: `To undo anyway, run: ${asCommand(given)} --yes`,
    });
  remark(`${printable(message)}.\n`);
  if (await confirm("Undo anyway?", signal)) return undefined;
  return new ToolError("denied", "Nothing was undone");
}

/** Returns the command line with these arguments. */
function asCommand({ options, operands }: Arguments): string {
  const flags = [...options].flatMap(([name, value]) =>
    value === "" ? [`--${name}`] : value.split("\n").flatMap((one) => [`--${name}`, one]),
  );
  return toCommandLine(["toolcrib", "undo", ...operands, ...flags]);
}

/** Returns the id of the session of `--session`, which must have changed something. */
async function sessionOf(given: Arguments): Promise<string | undefined> {
  const name = given.options.get("session");
  if (name === undefined) return undefined;
  return withJournal(given, (journal) => {
    const session =
      name === "last"
        ? journal.calls({ changing: true }).find(({ tool }) => tool !== "journal.undo")?.session
        : matchSession(knownSessions(journal), name);
    if (session === undefined) throw noSuchSession(name);
    if (journal.calls({ changing: true, session, limit: 1 }).length > 0) return session;
    throw new ToolError("not-found", `The session ${session} changed no files`, {
      hint: `To list its calls: toolcrib log --session ${session}`,
    });
  });
}
