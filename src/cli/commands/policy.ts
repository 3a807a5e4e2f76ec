import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Arguments, Command } from "../command.ts";
import {
  jsonOption,
  modeOption,
  ruleOption,
  rulesOption,
  sandboxOption,
  workspaceOption,
} from "../options.ts";

const subcommands = ["show", "explain", "test", "replay", "trust", "untrust"] as const;

/** `toolcrib policy` */
export const policyCommand: Command = {
  name: "policy",
  summary: "See, explain, test and trust the rules that calls are judged by",
  usage: [
    "policy show                         all rules in force, the weakest first, and those that do not count",
    "policy explain '<call>'             what would be said of a call, by which rule, because of which part of it",
    "policy test [FILE …]                run the `expect` lines of all rules, or of these files and with their rules",
    "policy replay <session|last|all>    what these rules would have said of recorded calls",
    "policy trust [--yes]                let this folder's own rules allow things, as they are now",
    "policy untrust                      take that back",
  ],
  notes: [
    "A call to explain is `run COMMAND`, `read|write|delete PATH`, `connect HOST`, or a tool with its arguments.",
    "Its exit code is 0 when it would pass, 3 when it would be denied, 4 when it would be asked.",
    "Rules come from ~/.config/toolcrib/rules (see `toolcrib paths`), from .toolcrib/rules in the workspace, from answers",
    'that said "always", and from --rule and --rules.',
  ],
  options: [
    workspaceOption,
    modeOption,
    ruleOption,
    rulesOption,
    {
      ...sandboxOption,
      summary: "judge commands as in this sandbox; without it, as in the one they would get",
    },
    { name: "yes", summary: "trust without asking" },
    jsonOption,
  ],
  examples: [
    { command: "toolcrib policy show", shows: "what holds here, and where it stands" },
    {
      command: "toolcrib policy explain 'run git status | sh'",
      shows: "which part of a pipe is the trouble",
    },
    { command: "toolcrib policy explain 'read .env' --json", shows: "for a program" },
    { command: "toolcrib policy explain file.delete --path notes.txt", shows: "a call of a tool" },
    { command: "toolcrib policy test", shows: "whether the rules do what they are meant to" },
    {
      command: "toolcrib policy replay last --rule 'deny run npm publish **'",
      shows: "try a rule on what happened",
    },
    { command: "toolcrib policy trust", shows: "see what the project's rules would allow, then say yes" },
    { command: "toolcrib policy untrust", shows: "let them only forbid again" },
  ],
  operand: subcommands,
  handsOn: true,
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
        throw unknownSubcommand(name);
    }
  },
};

function unknownSubcommand(name: string | undefined): ToolError {
  const meant = name === undefined ? undefined : nearest(name, subcommands);
  const message =
    name === undefined ? `Say what: ${subcommands.join(", ")}` : `toolcrib policy has no command "${name}"`;
  return new ToolError("invalid-input", message, {
    hint: meant ? `Did you mean \`toolcrib policy ${meant}\`?` : "See: toolcrib help policy",
  });
}
