import { ToolError } from "../../contract/error.ts";
import type { Command } from "../command.ts";
import { jsonOption, targetOption, workspaceOption } from "../options.ts";

export const approveCommand: Command = {
  name: "approve",
  summary: "List and answer pending approvals",
  usage: [
    ["approve [--all]", "list the pending approvals"],
    ["approve (<id> … | all) [--session | --always] [--yes]", "show them, then allow them"],
    ["approve (<id> … | all) --deny [MESSAGE]", "deny them; the model gets the message"],
    ["approve all --all …", "the same for those of all folders"],
  ],
  notes: [
    "When a call needs approval and the user cannot be asked (in `toolcrib mcp`, for example), its error names an id. An answer counts once, for exactly the same call, for 10 minutes. A question ends with the session that asked.",
  ],
  options: [
    { name: "all", summary: "include other folders, and answers that no call has used yet" },
    { name: "session", summary: "allow until the server that asked ends" },
    { name: "always", summary: "allow in this folder from now on" },
    { name: "deny", takesWords: true, summary: "deny, and send the text that follows to the model" },
    { name: "yes", summary: "do not ask for confirmation" },
    workspaceOption,
    targetOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib approve", "list what is pending"],
    ["toolcrib approve k7m2qp", "review one and decide"],
    ["toolcrib approve all", "review those of this folder and allow them together"],
    ["toolcrib approve k7m2qp --always", "never ask for it again"],
    ["toolcrib approve k7m2qp --deny use the staging host", "deny, and suggest an alternative"],
  ],
  async run(given) {
    const { answerPending, listPending } = await import("../approvals/answer-pending.ts");
    if (given.operands.length > 0) return answerPending(given);
    refuseAnswerToNone(given.options);
    return listPending(given);
  },
};

/** An answer without an id answers nothing. `--all` alone lists; `all` answers. */
function refuseAnswerToNone(options: ReadonlyMap<string, string>): void {
  const answer = ["session", "always", "deny", "yes"].find((name) => options.has(name));
  if (answer === undefined) return;
  const which = options.has("all") ? "all --all" : "all";
  throw new ToolError("invalid-input", `--${answer} needs the ids to answer, or all`, {
    hint: `To answer them together, run: toolcrib approve ${which} --${answer}`,
  });
}
