import { reasoningEfforts } from "../../models/model.ts";
import type { Option } from "../command.ts";
import {
  dialectOption,
  modeOption,
  readOnlyOption,
  ruleOption,
  rulesOption,
  sandboxOption,
  toolsOption,
  workspaceOption,
} from "../options.ts";

/** What `toolcrib run` and `toolcrib chat` share: how a session is held. */
export const sessionOptionList: readonly Option[] = [
  {
    name: "model",
    short: "m",
    value: "PROVIDER/NAME",
    summary: "which model; else TOOLCRIB_MODEL, or the first that toolcrib models finds",
  },
  {
    name: "reasoning",
    value: "EFFORT",
    choices: reasoningEfforts,
    summary: "how hard the model thinks; its own default if not given",
  },
  workspaceOption,
  modeOption,
  ruleOption,
  rulesOption,
  sandboxOption,
  toolsOption,
  readOnlyOption,
  {
    name: "no-input",
    summary: "never ask, also on a terminal: what would be asked is refused, and the model told so",
  },
  {
    name: "resume",
    value: "SESSION",
    summary: "go on with an earlier session of this folder; last is the latest",
  },
  { name: "instructions", value: "FILE", summary: "your own instructions, which come last in the prompt" },
  { name: "no-project-instructions", summary: "do not read AGENTS.md and its like" },
  { ...dialectOption, summary: "names and arguments of the tools; those the model knows if not given" },
  {
    name: "protocol",
    value: "PROTOCOL",
    choices: ["native", "text"],
    summary:
      "how tools are called: by the provider's means, or by JSON in the text, for models that know no tools",
  },
  { name: "max-rounds", value: "N", summary: "how often the model is asked in one turn; 200 if not given" },
  {
    name: "max-cost",
    value: "DOLLARS",
    summary: "end when the session has cost so much, where prices are known",
  },
  { name: "telemetry", summary: "OpenTelemetry spans, where @opentelemetry/api is installed" },
  { name: "verbose", summary: "also show what the model thinks, all that commands say, and whole diffs" },
];
