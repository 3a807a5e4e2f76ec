import { runOutcomes } from "../../fleet/fleet.ts";
import type { Arguments, Command } from "../command.ts";
import { jsonOption, policyOptions, sandboxOption } from "../options.ts";
import { type OptionsByForm, refuseOtherForms, unknownSubcommand } from "../parse-arguments.ts";

const subcommands = ["submit", "work", "status", "logs", "results", "retry", "cancel", "export"] as const;

const workerOptions = [
  "slots",
  "folder",
  "artifacts",
  "mode",
  "rule",
  "rule-file",
  "sandbox",
  "allow-target",
  "allow-unpriced",
];

export const fleetCommand: Command = {
  name: "fleet",
  summary: "Run many tasks with agents and measure them",
  usage: [
    ["fleet submit <spec> [--preview]", "run the tasks of a spec; the same command again resumes"],
    ["fleet work --database URL", "work on the runs of a database, until SIGTERM"],
    ["fleet status [<fleet>]", "show progress, spending, workers and what waits"],
    ["fleet logs <run>", "show what the model of a run did; also FLEET/TASK"],
    ["fleet results <fleet>", "show outcomes, costs and times"],
    ["fleet retry <fleet> [TASK ...]", "run again what infrastructure made fail"],
    ["fleet cancel <fleet> [TASK ...]", "cancel what has not ended"],
    ["fleet export <fleet> --swe-bench FILE", "write SWE-bench prediction files"],
    ["fleet export <fleet> --branches DIR", "make a branch of each solved run with `publish`"],
  ],
  notes: [
    "Without --database, submit works on this machine until all runs have ended, and keeps its state in SQLite. With it, submit only adds the runs to a PostgreSQL database, and any number of workers on any machine work on them. The page docs/fleet.md explains specs, outcomes and security.",
    "A spec can only tighten what its worker allows. submit and --wait end with 0 when every run was solved or unsolved, and with 1 when some ended as infrastructure, budget or cancelled.",
  ],
  options: [
    { name: "preview", summary: "submit: show what would run and the most it can cost" },
    { name: "schema", summary: "submit: print the JSON Schema of specs" },
    { name: "wait", summary: "submit: with --database, wait for the end of all runs" },
    { name: "database", value: "URL", summary: "a PostgreSQL database (default: TOOLCRIB_FLEET_DATABASE)" },
    { name: "slots", value: "N", summary: "submit, work: runs at the same time (default: 4)" },
    { name: "folder", value: "DIR", summary: "submit, work, logs: folder of the runs' workspaces" },
    { name: "artifacts", value: "DIR", summary: "submit, work: a folder or s3://bucket/prefix for results" },
    {
      name: "allow-target",
      value: "GLOB",
      repeats: true,
      summary: "submit, work: targets that specs may use (default: local)",
    },
    {
      name: "allow-repository",
      value: "GLOB",
      repeats: true,
      summary: "work: repositories that specs may use (default: URLs only)",
    },
    {
      name: "allow-unpriced",
      summary: "submit, work: allow budgets and limits for models whose price is not known",
    },
    { name: "until-done", summary: "work: stop when all runs of the database have ended" },
    { name: "metrics-port", value: "N", summary: "work: serve Prometheus metrics on this port" },
    {
      name: "metrics-host",
      value: "ADDRESS",
      summary: "work: listen there for metrics (default: 127.0.0.1)",
    },
    { name: "watch", summary: "status: update until all runs have ended" },
    {
      name: "outcome",
      value: "OUTCOME",
      choices: runOutcomes,
      summary: "retry: runs with this outcome (default: infrastructure)",
    },
    { name: "swe-bench", value: "FILE", summary: "export: a new file; .json for a list, else JSONL" },
    { name: "branches", value: "DIR", summary: "export: folder for repositories with branches, and patches" },
    {
      name: "push-command",
      value: "COMMAND",
      summary: "export: your command for each new branch, such as 'gh pr create …'",
    },
    ...policyOptions,
    sandboxOption,
    jsonOption,
  ],
  examples: [
    ["toolcrib fleet submit fleet.yaml --preview", "see what would run"],
    ["toolcrib fleet submit fleet.yaml", "run it here, or resume it"],
    ["toolcrib fleet status", "see all fleets"],
    ["toolcrib fleet results nightly", "see rates, costs and times"],
    ["toolcrib fleet retry nightly", "run again what infrastructure made fail"],
    ["toolcrib fleet work --slots 8", "one of many workers"],
  ],
  operand: subcommands,
  async run({ options, operands: [name, ...operands] }) {
    const given: Arguments = { options, operands };
    if (name === undefined || !Object.hasOwn(forms, name))
      throw unknownSubcommand("fleet", name, subcommands);
    refuseOtherForms(fleetCommand, name, options, optionsByForm);
    return forms[name]!(given);
  },
};

const forms: Readonly<Record<string, Command["run"]>> = {
  submit: async (given) => (await import("../fleet/submit.ts")).submit(given),
  work: async (given) => (await import("../fleet/work.ts")).work(given),
  status: async (given) => (await import("../fleet/status.ts")).status(given),
  logs: async (given) => (await import("../fleet/results.ts")).logs(given),
  results: async (given) => (await import("../fleet/results.ts")).results(given),
  retry: async (given) => (await import("../fleet/change-runs.ts")).retry(given),
  cancel: async (given) => (await import("../fleet/change-runs.ts")).cancel(given),
  export: async (given) =>
    given.options.has("branches") && !given.options.has("swe-bench")
      ? (await import("../fleet/publish-branches.ts")).publishBranches(given)
      : (await import("../fleet/results.ts")).exportPredictions(given),
};

/** Options of another form would have no effect, so they are refused. */
const optionsByForm: OptionsByForm = {
  submit: ["preview", "schema", "wait", "database", "json", ...workerOptions],
  work: ["until-done", "database", "allow-repository", "metrics-port", "metrics-host", ...workerOptions],
  status: ["database", "watch", "json"],
  logs: ["database", "folder", "json"],
  results: ["database", "json"],
  retry: ["database", "outcome", "json"],
  cancel: ["database", "json"],
  export: ["database", "swe-bench", "branches", "push-command", "json"],
};
