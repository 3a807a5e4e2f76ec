import type { Command } from "../command.ts";
import { jsonOption, sandboxOption, workspaceOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check the installation and suggest fixes",
  usage: [["doctor [--sandbox LEVEL] [--collect] [--json]"]],
  notes: [
    "Checks programs, folders, the journal, rules, models, MCP servers and clients, and attacks the sandbox from a temporary workspace. Of a journal with more than 50,000 records it checks a sample; `toolcrib log verify` checks all. Changes nothing without --collect. Exits with 1 when there is a problem.",
    "Limits of the stored history: TOOLCRIB_JOURNAL_MAX_BYTES (1 GiB) and TOOLCRIB_JOURNAL_MAX_DAYS (30).",
  ],
  options: [
    { name: "collect", summary: "first delete what exceeds these limits (done hourly anyway)" },
    {
      ...sandboxOption,
      isCommon: undefined,
      summary: "the sandbox to attack (default: the one commands get)",
    },
    workspaceOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib doctor", "check everything"],
    ["toolcrib doctor --sandbox landlock", "attack another sandbox"],
    ["toolcrib doctor --collect", "free disk space now"],
  ],
  async run(given) {
    refuseOperands(given.operands, doctorCommand);
    return (await import("../doctor/doctor.ts")).runDoctor(given);
  },
};
