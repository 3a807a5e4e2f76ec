import { asFlags, callJournal, readSince } from "../call-journal.ts";
import type { Arguments, Command, Option } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { readCount, refuseOperands } from "../parse-arguments.ts";
import { forReader } from "../report.ts";
import { print } from "../terminal.ts";

export const sinceOption: Option = {
  name: "since",
  value: "TIME",
  summary: "everything since then: 30m, 2h, 3d, 2026-11-15, '2026-11-15 09:30'",
};

/** The field that it fills. */
export function sinceOf({ options }: Arguments): { readonly since?: string } {
  const since = options.get("since");
  return since === undefined ? {} : { since: new Date(readSince(since)).toISOString() };
}

/** `toolcrib undo` */
export const undoCommand: Command = {
  name: "undo",
  summary: "Undo what calls did to files",
  usage: [
    "undo [<call> | <call>..<call>]     without any, the latest call that changed something",
    "undo --last N | --to CHECKPOINT | --since TIME",
  ],
  notes: [
    "All of it or nothing. A file that was changed since is never overwritten: the difference is shown, and --merge takes",
    "out only what the call did. An undo is a call like any other: `toolcrib redo` takes it back.",
  ],
  options: [
    { name: "last", value: "N", summary: "the latest N calls that changed something" },
    { name: "to", value: "CHECKPOINT", summary: "everything after this checkpoint" },
    sinceOption,
    { name: "file", value: "PATH", repeats: true, summary: "only this file or folder; may be repeated" },
    { name: "hunk", value: "N", summary: "only this hunk of the one file, as `toolcrib diff` numbers them" },
    { name: "merge", summary: "take the changes out of files that were changed since" },
    { name: "skip-changed", summary: "leave those alone and undo the rest" },
    { name: "dry-run", summary: "only show what would be done" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    { command: "toolcrib undo --dry-run", shows: "what would be undone" },
    { command: "toolcrib undo", shows: "the latest change" },
    { command: "toolcrib undo --last 3 --skip-changed", shows: "three calls, but not over later edits" },
    { command: "toolcrib undo --to before-refactoring", shows: "back to a checkpoint" },
  ],

  async run(given) {
    const { options } = given;
    const last = readCount(given, "last");
    const hunk = readCount(given, "hunk");
    const input = {
      ...callOf(given, undoCommand),
      ...(last === undefined ? {} : { last }),
      ...(options.has("to") ? { checkpoint: options.get("to") } : {}),
      ...sinceOf(given),
      ...(options.has("file") ? { paths: options.get("file")?.split("\n") } : {}),
      ...(hunk === undefined ? {} : { hunk }),
      ...(options.has("merge") ? { merge: true } : {}),
      ...(options.has("skip-changed") ? { skip_changed: true } : {}),
      ...(options.has("dry-run") ? { dry_run: true } : {}),
    };
    return callJournal("journal.undo", input, options, ({ content }) =>
      print(`${forReader(1, forPeople(content))}\n`),
    );
  },
};

/** The calls that are named as operand. */
export function callOf(
  { operands: [call, ...rest] }: Arguments,
  command: Command,
): { readonly call?: string } {
  refuseOperands(rest, command);
  return call === undefined ? {} : { call };
}

function forPeople(words: string): string {
  return asFlags(words).replace(
    "Take this back with journal.undo and --redo.",
    "Take this back with: toolcrib redo",
  );
}
