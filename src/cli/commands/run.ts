import { ToolError } from "../../contract/error.ts";
import type { Command } from "../command.ts";
import { jsonOption } from "../options.ts";
import { turnExitCodes } from "../session/exit-code-of-turn.ts";
import { sessionOptionList } from "../session/session-option-list.ts";

/** `toolcrib run` */
export const runCommand: Command = {
  name: "run",
  summary: "Have a model do a task with these tools",
  usage: [
    'run "<task>" [options]',
    "run - [options]                    the task comes from standard input, as it does where none is given",
    'run "<task>" - [options]           what comes from standard input is handed on with the task',
    "run --demo                         see a whole session, offline, with a recorded model",
  ],
  notes: [
    "The answer goes to standard output and everything else to standard error: one line for each call, changes as diffs,",
    "what it used. On a terminal you are asked before what the mode does not let pass; elsewhere it is refused, and the",
    "model told so. Ctrl-C stops the turn, and leaves what was done as it is; a second one leaves at once.",
    "A terminal that cannot write a line again gets plain lines alone, as for screen readers: TERM=dumb.",
    "The session is kept: go on with --resume, see toolcrib help sessions.",
    "",
    ...turnExitCodes,
  ],
  options: [
    ...sessionOptionList,
    {
      ...jsonOption,
      summary: "print one object at the end: text, outcome, error, calls, usage, cost, session",
    },
    { name: "jsonl", summary: "print every event as a line of JSON, as it happens" },
    { name: "demo", summary: "play a recorded model on a small project of its own" },
  ],
  examples: [
    { command: "toolcrib run --demo", shows: "nothing needed: no key, no network" },
    { command: 'toolcrib run "why does npm test fail?"', shows: "with the first model that is found" },
    {
      command: 'toolcrib run -m ollama/qwen3 --read-only "explain src/index.ts"',
      shows: "a model on this machine, and only to look",
    },
    {
      command: `toolcrib run "run the tests" --rule 'allow run npm test'`,
      shows: "a command that need not be asked about",
    },
    { command: "toolcrib run - < task.md > answer.md", shows: "the answer alone in a file" },
    { command: 'git diff | toolcrib run "review this" -', shows: "a task, and what it is about" },
    { command: 'toolcrib run --resume last "now add a test"', shows: "go on" },
    { command: 'toolcrib run --jsonl "list the TODOs"', shows: "for a program" },
  ],
  async run(given) {
    const { options, operands } = given;
    if (options.has("json") && options.has("jsonl"))
      throw new ToolError("invalid-input", "--json and --jsonl contradict each other", {
        hint: "--json prints one object at the end, --jsonl every event.",
      });
    if (!options.has("demo")) return (await import("../session/run-task.ts")).runTask(given);
    if (operands.length > 0)
      throw new ToolError("invalid-input", "--demo has a task of its own", {
        hint: "Leave out yours, or leave out --demo.",
      });
    const without = [...options.keys()].find((name) => !["demo", "json", "jsonl", "verbose"].includes(name));
    if (without !== undefined)
      throw new ToolError("invalid-input", `--${without} means nothing to --demo`, {
        hint: "It plays a recorded model in a folder of its own.",
      });
    return (await import("../session/demo.ts")).playDemo(options);
  },
};
