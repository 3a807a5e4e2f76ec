import * as z from "zod/mini";
import { runOutcomes } from "../../fleet/fleet.ts";
import { policyModes } from "../../policy/policy.ts";

// The bodies of requests, as `api.ts` describes them. Unknown fields are refused.

const text = z.string().check(z.maxLength(100_000));
const name = z.string().check(z.minLength(1), z.maxLength(200));
const id = z.string().check(z.regex(/^\w{1,80}$/));
const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const position = z.int().check(z.minimum(0), z.maximum(1000));

const names = z.array(z.string().check(z.minLength(1), z.maxLength(4096))).check(z.maxLength(1000));

export const login = z.strictObject({ code: name });

export const answer = z.strictObject({
  workspace: name,
  id: name,
  shown: hash,
  answer: z.enum(["once", "session", "always", "always 2", "always 3", "no"]),
  message: z.optional(text),
});

const rules = z
  .array(z.string().check(z.minLength(1), z.maxLength(2000)))
  .check(z.minLength(1), z.maxLength(100));

export const workspaceOnly = z.strictObject({ workspace: name });
export const explain = z.strictObject({ workspace: name, call: text });
export const withRules = z.strictObject({ workspace: name, rules });
export const revoke = z.strictObject({
  workspace: name,
  grants: z.array(z.strictObject({ line: z.int(), rules })).check(z.minLength(1), z.maxLength(1000)),
});

export const start = z.strictObject({
  workspace: name,
  task: text,
  model: z.optional(name),
  mode: z.optional(z.enum(policyModes)),
});

export const act = z.strictObject({
  workspace: name,
  session: id,
  action: z.enum(["message", "interrupt", "stop", "fork"]),
  text: z.optional(text),
  turn: z.optional(z.int().check(z.minimum(1))),
});

export const actOnFleet = z.strictObject({
  fleet: name,
  action: z.enum(["cancel", "retry"]),
  runs: z.optional(z.array(id).check(z.minLength(1), z.maxLength(1000))),
  outcomes: z.optional(z.array(z.enum(runOutcomes)).check(z.minLength(1))),
});

export const undo = z.strictObject({
  workspace: name,
  calls: z.optional(z.array(id).check(z.minLength(1), z.maxLength(1000))),
  session: z.optional(id),
  redo: z.optional(z.literal(true)),
  paths: z.optional(names),
  hunk: z.optional(position),
  merge: z.optional(z.boolean()),
  skipChanged: z.optional(z.boolean()),
  dryRun: z.boolean(),
});
