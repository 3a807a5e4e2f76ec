import * as z from "zod/mini";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { reasoningEfforts } from "../../models/model.ts";
import type { FleetSettings, RunResult, RunSpec } from "../fleet.ts";

// Several programs and machines write the rows of a database, so their JSON is checked. Values stay as they are: the hash
// of a spec identifies its run, and a newer version may add fields.

const specShape = z.looseObject({
  ...{ fleet: z.string(), task: z.string(), model: z.string(), prompt: z.string() },
  reasoning: z.nullable(z.enum(reasoningEfforts)),
  ...{ repository: z.nullable(z.string()), revision: z.nullable(z.string()), setup: z.nullable(z.string()) },
  check: z.nullable(
    z.looseObject({ command: z.string(), files: z.record(z.string(), z.string()), minutes: z.number() }),
  ),
  ...{ target: z.string(), mode: z.string(), rules: z.array(z.string()), keepWorkspace: z.string() },
  limits: z.looseObject({ rounds: z.number(), minutes: z.number(), dollars: z.nullable(z.number()) }),
  publish: z.nullable(z.looseObject({ branch: z.string(), message: z.string() })),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

const resultShape = z.looseObject({
  ...{ text: z.string(), rounds: z.number(), calls: z.number(), workMs: z.number() },
  usage: z.looseObject({
    ...{ input: z.number(), cached: z.number(), cacheWritten: z.number() },
    ...{ output: z.number(), reasoning: z.number() },
  }),
  ...{ cost: z.nullable(z.number()), base: z.nullable(z.string()) },
  patch: z.nullable(z.looseObject({ files: z.number(), added: z.number(), removed: z.number() })),
  check: z.nullable(z.looseObject({ exitCode: z.nullable(z.number()), output: z.string() })),
  ...{ artifacts: z.nullable(z.string()), artifactNames: z.array(z.string()) },
});

const settingsShape = z.looseObject({
  budget: z.nullable(z.number()),
  lanes: z.record(
    z.string(),
    z.looseObject({ concurrency: z.nullable(z.number()), tokensPerMinute: z.nullable(z.number()) }),
  ),
  ...{ deliveries: z.number(), parkedHours: z.number() },
});

/** Returns an empty spec for one that is not valid: its hash is not the id of the run, so no worker starts it. */
export function readRunSpec(text: string, { fleet, task }: Pick<RunSpec, "fleet" | "task">): RunSpec {
  const spec = tryParseJson(text);
  if (specShape.safeParse(spec).success) return spec as RunSpec;
  return {
    ...{ fleet, task, model: "", reasoning: null, prompt: "", repository: null, revision: null, setup: null },
    ...{ check: null, target: "local", mode: "paranoid", rules: [], keepWorkspace: "never", publish: null },
    ...{ limits: { rounds: 0, minutes: 0, dollars: 0 }, data: {} },
  };
}

/** Returns null for a result that is not valid. */
export function readRunResult(text: string | null): RunResult | null {
  const result = text === null ? undefined : tryParseJson(text);
  return resultShape.safeParse(result).success ? (result as RunResult) : null;
}

/** Returns settings with which nothing runs for those that are not valid. */
export function readFleetSettings(text: string): FleetSettings {
  const settings = tryParseJson(text);
  if (settingsShape.safeParse(settings).success) return settings as FleetSettings;
  return { budget: 0, lanes: {}, deliveries: 0, parkedHours: 0 };
}
