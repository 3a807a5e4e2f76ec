import type { Command } from "../command.ts";
import { jsonOption, workspaceOption } from "../options.ts";

/** `toolcrib approve` */
export const approveCommand: Command = {
  name: "approve",
  summary: "See and answer what calls need a person's approval for",
  usage: [
    "approve [--all]                              the questions that wait for an answer",
    "approve <id> [--session | --always] [--yes]  show one, then allow it",
    "approve <id> --deny [MESSAGE]                refuse it, and tell the model why",
  ],
  notes: [
    "A call that needs approval where nobody can be asked, in `toolcrib mcp` for example, names the id of its question.",
    "What you allow counts for the same call made again within 10 minutes, once, in whatever process works here.",
    "--session allows it until the server that asked has ended, --always from now on in this folder.",
  ],
  options: [
    workspaceOption,
    {
      name: "all",
      summary:
        "also those of other folders, and those that are answered but whose call was not made again yet",
    },
    { name: "session", summary: "allow it, and what is shown, until that server ends" },
    { name: "always", summary: "allow it, and what is shown, in this folder from now on" },
    { name: "deny", summary: "refuse it; words after it are told to the model" },
    { name: "yes", summary: "allow without asking once more, also where no terminal is" },
    jsonOption,
  ],
  examples: [
    { command: "toolcrib approve", shows: "what waits" },
    { command: "toolcrib approve k7m2qp", shows: "see one and decide" },
    { command: "toolcrib approve k7m2qp --always", shows: "never be asked for it again" },
    { command: "toolcrib approve k7m2qp --deny use the staging host", shows: "say no, and what instead" },
  ],
  async run(given) {
    const { answerQuestion, listQuestions } = await import("../approvals/answer-pending.ts");
    return given.operands.length === 0 ? listQuestions(given) : answerQuestion(given);
  },
};
