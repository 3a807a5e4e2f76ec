import type { Command } from "../command.ts";
import { jsonOption, sandboxOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

/** `toolcrib doctor` */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "Look whether all is well, and tell the way out where it is not",
  usage: ["doctor [--sandbox LEVEL] [--collect] [--json]"],
  notes: [
    "Looks at Node and programs, at the folders and their permissions, the journal and its proof, what can be undone, the",
    "budget and the disk, the rules, what parses code and reads documents, who searches the web; and attacks the sandbox in a",
    "workspace made for that, to see what is enforced.",
    "Changes nothing of yours, unless told to collect. Its exit code is 1 when something is wrong, or promised and not enforced.",
    "How much is kept for undo: TOOLCRIB_JOURNAL_MAX_BYTES (1 GiB) and TOOLCRIB_JOURNAL_MAX_DAYS (30).",
  ],
  options: [
    { name: "collect", summary: "first remove what is over the budget, as is done once an hour anyway" },
    { ...sandboxOption, summary: "attack this one; without it, the one that commands get" },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    { command: "toolcrib doctor", shows: "how things are" },
    { command: "toolcrib doctor --sandbox landlock", shows: "what holds without bubblewrap" },
    { command: "toolcrib doctor --collect", shows: "make room now" },
  ],
  async run(given) {
    refuseOperands(given.operands, doctorCommand);
    return (await import("../doctor/doctor.ts")).seeDoctor(given);
  },
};
