import type { Command } from "../command.ts";
import { jsonOption, placeOptions, sandboxOption } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check the installation and suggest fixes",
  usage: [["doctor [--sandbox LEVEL] [--collect] [--json]"]],
  notes: [
    "Checks programs, folders, the journal, rules, models, MCP servers and clients, and attacks the sandbox from a temporary workspace. Of a journal with more than 50,000 records it checks a sample; `toolcrib log verify` checks all. Changes nothing without --collect. Exits with 1 when there is a problem.",
    "With --target it checks what is installed there, attacks the sandbox there from a temporary workspace, and checks what this machine stores about the target.",
    "Limits of the stored history: TOOLCRIB_JOURNAL_MAX_BYTES (1 GiB) and TOOLCRIB_JOURNAL_MAX_DAYS (30).",
  ],
  options: [
    { name: "collect", summary: "first delete what exceeds these limits (done hourly anyway)" },
    {
      ...sandboxOption,
      isCommon: undefined,
      summary: "the sandbox to attack (default: the one commands get)",
    },
    ...placeOptions,
    jsonOption,
  ],
  examples: [
    ["toolcrib doctor", "check everything"],
    ["toolcrib doctor --sandbox landlock", "attack another sandbox"],
    ["toolcrib doctor --collect", "free disk space now"],
    ["toolcrib doctor --target ssh:build:/srv/app", "check a target, and attack the sandbox there"],
  ],
  async run(given) {
    refuseOperands(given.operands, doctorCommand);
    return (await import("../doctor/doctor.ts")).runDoctor(given);
  },
};
