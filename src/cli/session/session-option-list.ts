import { ToolError } from "../../contract/error.ts";
import { reasoningEfforts } from "../../models/model.ts";
import type { Option } from "../command.ts";
import { dialectOption, instanceOptions, placeOptions } from "../options.ts";

export const demoOption: Option = { name: "demo", summary: "play a recorded model in a temporary project" };

/** Refuses options that have no effect in the demo. */
export function refuseWithDemo(options: ReadonlyMap<string, string>, allowed: readonly string[]): void {
  const other = [...options.keys()].find((name) => name !== "demo" && !allowed.includes(name));
  if (other === undefined) return;
  throw new ToolError("invalid-input", `--${other} has no effect with --demo`, {
    hint: `Remove --${other}.`,
  });
}

/** The options that `toolcrib run` and `toolcrib chat` share. */
export const sessionOptionList: readonly Option[] = [
  {
    name: "model",
    short: "m",
    value: "PROVIDER/NAME",
    summary: "the model (default: TOOLCRIB_MODEL, or the first that `toolcrib models` finds)",
  },
  {
    name: "reasoning",
    value: "EFFORT",
    choices: reasoningEfforts,
    summary: "reasoning effort (default: the model's own)",
  },
  { name: "resume", value: "SESSION", summary: "continue a session of this folder; `last` is the latest" },
  { name: "plan", summary: "only read and plan, until you accept the plan" },
  { name: "no-input", summary: "never ask: calls that need approval are refused" },
  {
    name: "approval-wait-ms",
    value: "N",
    summary: "without a terminal, let calls wait this long for `toolcrib approve`",
  },
  { name: "instructions-file", value: "FILE", summary: "your instructions, added at the end of the prompt" },
  { name: "no-project-instructions", summary: "do not read AGENTS.md and similar files" },
  {
    name: "protocol",
    value: "PROTOCOL",
    choices: ["native", "text"],
    summary: "how tools are called; text is for models without tool calls",
  },
  { name: "max-rounds", value: "N", summary: "model requests per turn (default: 200)" },
  { name: "max-cost", value: "DOLLARS", summary: "stop when the session has cost this much" },
  { name: "allow-unpriced", summary: "allow --max-cost with models whose price is not known" },
  { name: "telemetry", summary: "emit OpenTelemetry spans (needs @opentelemetry/api)" },
  { name: "verbose", summary: "show reasoning, all command output and whole diffs" },
  ...placeOptions,
  ...instanceOptions,
  { ...dialectOption, summary: "tool names and arguments of this model family (default: the model's own)" },
];
