import type { Command } from "../command.ts";
import { jsonOption, targetOption, workspaceOption } from "../options.ts";
import { unknownSubcommand } from "../parse-arguments.ts";

export const grantsCommand: Command = {
  name: "grants",
  summary: 'List and revoke what "always" allowed',
  usage: [
    ["grants", "list the rules that your answers added in this folder"],
    ["grants revoke <id | rule> ...", "remove them; the next such call asks again"],
  ],
  notes: [
    'The answer "session" is not stored: it ends with its session. Rules that you wrote yourself are in `toolcrib policy show`. A revoked rule stops counting in running sessions, too, from their next call on.',
  ],
  options: [workspaceOption, targetOption, jsonOption],
  examples: [
    ["toolcrib grants", "what is allowed, since when, and who asked"],
    ["toolcrib grants revoke 1f0c9a2e", "by its id"],
    ["toolcrib grants revoke 'allow run npm test'", "by its rule"],
  ],
  operand: ["list", "revoke"],
  async run({ options, operands: [name = "list", ...operands] }) {
    const { listGrants, revokeNamed } = await import("../approvals/list-grants.ts");
    if (name === "list") return listGrants({ options, operands });
    if (name === "revoke") return revokeNamed({ options, operands });
    throw unknownSubcommand("grants", name, ["list", "revoke"]);
  },
};
