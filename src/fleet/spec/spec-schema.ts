import * as z from "zod/mini";
import { reasoningEfforts } from "../../models/model.ts";
import { policyModes } from "../../policy/policy.ts";

// The shape of fleet.yaml. docs/fleet.schema.json is generated from it; docs/fleet.md describes it.

const about = (text: string) => z.describe(text);
const text = z.string().check(z.minLength(1), z.maxLength(1_000_000));
const line = z.string().check(z.minLength(1), z.maxLength(2000), z.regex(/^[^\p{Cc}]*$/u));
const amount = z.number().check(z.positive(), z.maximum(1_000_000));
const count = z.int().check(z.positive(), z.maximum(1_000_000));
/** A command of a run lasts at most a day. */
const minutes = z.number().check(z.positive(), z.maximum(1_440));

const file = z
  .strictObject({ file: line.check(about("A path below the folder of the spec.")) })
  .check(about("Read from a file."));
const textOrFile = z.union([text, file]);

const nameText = z
  .string()
  .check(
    z.maxLength(120),
    z.regex(/^(?!.*\/\.\.(?:\/|$))[A-Za-z0-9][\w.:@/+-]*$/),
    about("Letters, digits and . _ - / : @ +"),
  );

const check = z
  .union([
    text,
    z.strictObject({
      command: text.check(about("A shell command. Exit code 0 means solved.")),
      files: z.optional(
        z
          .record(line, textOrFile)
          .check(about("Files that exist only while the check runs, by path: the model never sees them.")),
      ),
      minutes: z.optional(minutes.check(about("Default: 10."))),
    }),
  ])
  .check(about("Decides between solved and unsolved. Default: every completed turn counts as solved."));

const limits = z.strictObject({
  rounds: z.optional(count.check(about("Requests to the model. Default: 100."))),
  minutes: z.optional(minutes.check(about("Time of work, without time in the queue. Default: 30."))),
  dollars: z.optional(z.nullable(amount).check(about("US dollars of one run. Default: no limit."))),
});

const publish = z.strictObject({
  branch: line.check(about("The name of the branch, with {task} and {fleet}.")),
  message: text.check(about("The message of the commit, with {task} and {fleet}.")),
});

const lane = z.strictObject({
  concurrency: z.optional(count.check(about("Requests in flight, in all workers."))),
  tokensPerMinute: z.optional(z.int().check(z.positive())),
});

/** Fields of every task; at the top level they are the defaults. */
const runFields = {
  model: z.optional(line.check(about("provider/name. Default: your default model."))),
  reasoning: z.optional(z.nullable(z.enum(reasoningEfforts))),
  repository: z.optional(
    z.nullable(line).check(about("A URL or a local path to clone. Default: an empty folder.")),
  ),
  revision: z.optional(
    z.nullable(line).check(about("A branch, tag or commit. Default: the default branch.")),
  ),
  setup: z.optional(z.nullable(text).check(about("A shell command that prepares the workspace."))),
  check: z.optional(z.nullable(check)),
  target: z.optional(
    line.check(about("local (default), image:NAME, or a target such as ssh:host:/dir/{run}.")),
  ),
  mode: z.optional(
    z
      .enum(policyModes)
      .check(about("The loosest mode of the run. A stricter mode of the worker wins. Default: cautious.")),
  ),
  rules: z.optional(z.array(line).check(about("Rules that tighten: deny, ask, secret, protected."))),
  limits: z.optional(limits),
  keepWorkspace: z.optional(z.enum(["never", "unsolved", "always"])),
  publish: z.optional(z.nullable(publish)),
  data: z.optional(
    z
      .record(line, z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .check(about("Free fields, such as instance_id for exports.")),
  ),
};

export const taskSchema = z.strictObject({
  name: nameText.check(about("Unique in the fleet.")),
  prompt: z.optional(textOrFile),
  ...runFields,
});

const matrix = z
  .strictObject({
    repositories: z.array(
      z.union([
        line,
        z.strictObject({
          name: z.optional(nameText),
          repository: line,
          revision: z.optional(z.nullable(line)),
        }),
      ]),
    ),
    prompts: z.optional(z.array(z.strictObject({ name: nameText, prompt: textOrFile }))),
  })
  .check(about("Every repository with every prompt."));

export const fleetSchema = z.strictObject({
  name: z
    .string()
    .check(
      z.maxLength(60),
      z.regex(/^[A-Za-z0-9][\w.-]*$/),
      about("The name of the fleet: letters, digits and . _ -"),
    ),
  tasks: z
    .union([z.array(taskSchema), file, matrix])
    .check(about("A list, a file with one task of JSON per line, or repositories and prompts.")),
  models: z.optional(
    z.array(line).check(z.minLength(1), about("Runs every task with each of these models.")),
  ),
  repetitions: z.optional(z.int().check(z.positive(), z.maximum(1000), about("Runs every task this often."))),
  prompt: z.optional(textOrFile.check(about("The default prompt."))),
  budget: z.optional(z.nullable(amount).check(about("US dollars for all runs together. Default: no limit."))),
  lanes: z.optional(z.record(line, lane).check(about("Limits by provider, for all fleets of the database."))),
  deliveries: z.optional(
    count.check(about("How often a run may start before it ends as infrastructure. Default: 5.")),
  ),
  parkedHours: z.optional(
    amount.check(about("How long a run may wait for a provider that refuses requests. Default: 24.")),
  ),
  ...runFields,
});

export type FleetFile = z.infer<typeof fleetSchema>;
export type TaskFields = z.infer<typeof taskSchema>;
export type TextOrFile = z.infer<typeof textOrFile>;

/** Returns the JSON Schema of fleet.yaml, for editors. */
export function fleetJsonSchema(): object {
  return { title: "Toolcrib fleet (fleet.yaml)", ...z.toJSONSchema(fleetSchema, { io: "input" }) };
}
