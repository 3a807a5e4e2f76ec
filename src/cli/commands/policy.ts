import type { Arguments, Command } from "../command.ts";
import { jsonOption, placeOptions, policyOptions, sandboxOption } from "../options.ts";
import { unknownSubcommand } from "../parse-arguments.ts";

const subcommands = ["show", "explain", "test", "replay", "trust", "untrust"] as const;

export const policyCommand: Command = {
  name: "policy",
  summary: "Show, explain, test and trust rules",
  usage: [
    ["policy show", "list all rules, weakest first, and those that are ignored"],
    ["policy explain '<call>'", "show the verdict on a call, and the rule behind it"],
    ["policy test [FILE ...]", "run the `expect` lines of all rules, or of these files"],
    ["policy replay <session|last|all>", "show these rules' verdicts on recorded calls"],
    ["policy trust [--yes]", "trust the current rules of this folder"],
    ["policy untrust", "revoke the trust: these rules can only deny"],
  ],
  notes: [
    "A call is `run COMMAND`, `read PATH`, `write PATH`, `delete PATH`, `connect HOST`, or a tool with its arguments. `explain` exits with 0 for allow, 3 for deny and 4 for ask.",
    'Rules come from ~/.config/toolcrib/rules (see `toolcrib paths`), .toolcrib/rules in the workspace, "always" answers, --rule and --rule-file.',
  ],
  options: [
    { ...sandboxOption, isCommon: undefined, summary: "assume this sandbox (default: the one commands get)" },
    { name: "yes", summary: "trust: do not ask for confirmation" },
    ...placeOptions,
    ...policyOptions,
    jsonOption,
  ],
  examples: [
    ["toolcrib policy show", "list the rules and their files"],
    ["toolcrib policy explain 'run git status | sh'", "find the part that needs approval"],
    ["toolcrib policy explain file.delete --path notes.txt", "explain a tool call"],
    ["toolcrib policy test", "run the `expect` lines"],
    ["toolcrib policy replay last --rule 'deny run npm publish **'", "try a rule on recorded calls"],
    ["toolcrib policy trust", "review this folder's rules, then trust them"],
  ],
  operand: subcommands,
  forwardsFlags: true,
  async run({ options, operands: [name, ...operands] }) {
    const given: Arguments = { options, operands };
    switch (name) {
      case "show":
        return (await import("../policy/explain-call.ts")).showPolicy(given);
      case "explain":
        return (await import("../policy/explain-call.ts")).explainCall(given);
      case "test":
        return (await import("../policy/test-policy.ts")).testPolicy(given);
      case "replay":
        return (await import("../policy/replay-session.ts")).replaySession(given);
      case "trust":
        return (await import("../policy/trust-project.ts")).trustProject(given);
      case "untrust":
        return (await import("../policy/trust-project.ts")).untrustProject(given);
      default:
        throw unknownSubcommand("policy", name, subcommands);
    }
  },
};
