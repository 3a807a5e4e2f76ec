import type { ChangedFiles } from "../../toolcrib/index.ts";
import { callJournal } from "../call-journal.ts";
import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";
import { readCount } from "../parse-arguments.ts";
import { forReader } from "../report.ts";
import { colourDiff, print } from "../terminal.ts";
import { callOf, sinceOf, sinceOption } from "./undo.ts";

/** `toolcrib diff` */
export const diffCommand: Command = {
  name: "diff",
  summary: "Show what calls did to files",
  usage: [
    "diff [<call> | <call>..<call> | <checkpoint>]     without any, the latest call that changed something",
    "diff --last N | --since TIME",
  ],
  notes: [
    "Hunks are numbered, for `toolcrib undo --hunk`. Edits that people made in between are not part of it.",
  ],
  options: [
    { name: "last", value: "N", summary: "of the latest N calls that changed something, together" },
    sinceOption,
    { name: "file", value: "PATH", repeats: true, summary: "only this file or folder; may be repeated" },
    { name: "stat", summary: "only the names, with how many lines came and went" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    { command: "toolcrib diff", shows: "what `toolcrib undo` would take back" },
    { command: "toolcrib diff before-refactoring --stat", shows: "which files changed since a checkpoint" },
  ],

  async run(given) {
    const { options } = given;
    const last = readCount(given, "last");
    const { call } = callOf(given, diffCommand);
    const isCall = call === undefined || /^(?:call|transaction)_|\.\./.test(call);
    const isOpen = call === undefined && !options.has("since");
    const input = {
      ...(call === undefined ? {} : isCall ? { call } : { checkpoint: call }),
      ...(last !== undefined ? { last } : isOpen ? { last: 1 } : {}),
      ...sinceOf(given),
      ...(options.has("file") ? { paths: options.get("file")?.split("\n") } : {}),
      ...(options.has("stat") ? { stat: true } : {}),
    };
    return callJournal("journal.diff", input, options, ({ content, data }) => {
      const { files } = data as ChangedFiles;
      // Whole, as no model has to read it.
      const text =
        options.has("stat") || files.length === 0 ? `${content}\n` : files.map(({ diff }) => diff).join("");
      print(colourDiff(1, forReader(1, text)));
    });
  },
};
