import type { ChangedFiles } from "../../toolcrib/index.ts";
import { callJournal } from "../call-journal.ts";
import type { Command } from "../command.ts";
import { jsonOption, placeOptions } from "../options.ts";
import { readCount } from "../parse-arguments.ts";
import { printContent } from "../report.ts";
import { colourDiff } from "../terminal.ts";
import { callOf, sinceOf, sinceOption } from "./undo.ts";

export const diffCommand: Command = {
  name: "diff",
  summary: "Show what calls changed in files",
  usage: [
    ["diff [<call> | <call>..<call> | <checkpoint>]", "default: the latest call that changed something"],
    ["diff --last N | --since TIME", "several calls together"],
  ],
  notes: ["Hunks are numbered for `toolcrib undo --hunk`. Edits made outside Toolcrib are not included."],
  options: [
    { name: "last", value: "N", summary: "the latest N calls that changed something" },
    sinceOption,
    { name: "file", value: "PATH", repeats: true, summary: "only this file or folder (repeatable)" },
    { name: "stat", summary: "only file names and line counts" },
    ...placeOptions,
    jsonOption,
  ],
  examples: [
    ["toolcrib diff", "what `toolcrib undo` would revert"],
    ["toolcrib diff before-refactoring --stat", "files changed since a checkpoint"],
  ],

  async run(given) {
    const { options } = given;
    const last = readCount(given, "last");
    const call = callOf(given, diffCommand);
    const isCall = call === undefined || /^(?:call|transaction)_|\.\./.test(call);
    const isOpen = call === undefined && !options.has("since");
    const input = {
      [isCall ? "call" : "checkpoint"]: call,
      last: last ?? (isOpen ? 1 : undefined),
      since: sinceOf(given),
      paths: options.get("file")?.split("\n"),
      stat: options.has("stat") || undefined,
    };
    return callJournal("journal.diff", input, options, ({ content, data }) => {
      const { files } = data as ChangedFiles;
      // The whole diff: the content for models is cut.
      const text =
        options.has("stat") || files.length === 0 ? `${content}\n` : files.map(({ diff }) => diff).join("");
      printContent(text, (plain) => colourDiff(1, plain));
    });
  },
};
