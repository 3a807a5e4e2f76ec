import { ToolError } from "../../contract/error.ts";
import type { Command } from "../command.ts";
import { turnExitCodes } from "../session/exit-code-of-turn.ts";
import { demoOption, refuseWithDemo, sessionOptionList } from "../session/session-option-list.ts";

export const runCommand: Command = {
  name: "run",
  summary: "Let a model do a task",
  usage: [
    ['run "<task>" [options]'],
    ["run - [options]", "read the task from standard input (default without a task)"],
    ['run "<task>" - [options]', "append standard input to the task"],
    ["run --demo", "play a recorded session, offline"],
  ],
  notes: [
    "The answer goes to standard output; calls, diffs and usage go to standard error. On a terminal you approve what the mode does not allow; elsewhere such calls are refused. Ctrl-C stops the turn and keeps its changes; a second Ctrl-C exits at once.",
    "Sessions are recorded: continue one with --resume, or see `toolcrib help sessions`. TERM=dumb prints plain lines, for screen readers.",
    turnExitCodes,
  ],
  options: [
    {
      name: "json",
      summary: "print one object at the end: text, outcome, error, calls, usage, cost, session",
    },
    { name: "jsonl", summary: "print every event as a line of JSON" },
    demoOption,
    ...sessionOptionList,
  ],
  examples: [
    ["toolcrib run --demo", "no key or network needed"],
    ['toolcrib run "why does npm test fail?"', "use the default model"],
    ['toolcrib run -m ollama/qwen3 --read-only "explain src/index.ts"', "a local model that only reads"],
    [`toolcrib run "run the tests" --rule 'allow run npm test'`, "allow one command"],
    ["toolcrib run - < task.md > answer.md", "task and answer in files"],
    ['git diff | toolcrib run "review this" -', "a task and its material"],
    ['toolcrib run --resume last "now add a test"', "continue the latest session"],
  ],
  async run(given) {
    const { options, operands } = given;
    if (options.has("json") && options.has("jsonl"))
      throw new ToolError("invalid-input", "--json and --jsonl cannot be combined", {
        hint: "Use --json for one object at the end, or --jsonl for every event.",
      });
    if (!options.has("demo")) return (await import("../session/run-task.ts")).runTask(given);
    if (operands.length > 0)
      throw new ToolError("invalid-input", "--demo takes no task", {
        hint: "Remove the task, or remove --demo.",
      });
    refuseWithDemo(options, ["json", "jsonl", "verbose"]);
    return (await import("../session/demo.ts")).playDemo(options);
  },
};
