import type { Command } from "../command.ts";
import { jsonOption, placeOptions } from "../options.ts";
import { refuseOperands, unknownSubcommand } from "../parse-arguments.ts";

const verbs: readonly string[] = ["status", "stop", "clear"];

export const indexCommand: Command = {
  name: "index",
  summary: "Build or update the code index",
  usage: [
    ["index"],
    ["index --background", "with low priority, without output"],
    ["index status", "show its size and the process that builds it"],
    ["index stop", "end that process"],
    ["index clear", "delete it"],
  ],
  notes: [
    "Optional: code.search, code.map and code.references update the index themselves. Exits with 1 when the index cannot be stored.",
    "--background ends after ten minutes, when the folder is deleted, and at once when another such process runs. `toolcrib call` starts it when it has answered from an incomplete index.",
  ],
  options: [
    { name: "background", summary: "build with low priority and without output" },
    ...placeOptions,
    jsonOption,
  ],
  examples: [
    ["toolcrib index", "index this folder"],
    ["toolcrib index -C ~/project --json", "index another folder"],
    ["toolcrib index --target ssh:host:/srv/app", "index a folder of another machine"],
    ["toolcrib index clear", "delete the index"],
  ],
  operand: verbs,
  async run({ options, operands: [verb, ...rest] }) {
    refuseOperands(rest, indexCommand);
    if (verb !== undefined && !verbs.includes(verb)) throw unknownSubcommand("index", verb, verbs);
    const { buildInBackground, buildIndex, clearIndex, showStatus, stopIndexer } = await import(
      "../show-index.ts"
    );
    if (verb === "status") return showStatus(options);
    if (verb === "stop") return stopIndexer(options);
    if (verb === "clear") return clearIndex(options);
    return options.has("background") ? buildInBackground(options) : buildIndex(options);
  },
};
