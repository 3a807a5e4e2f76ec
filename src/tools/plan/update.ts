import * as z from "zod/mini";
import { type Plan, type PlanStatus, planStatuses, type Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";

const input = z.strictObject({
  steps: z.optional(
    z
      .array(
        z.strictObject({
          step: z.string().check(z.minLength(1), z.maxLength(1000)),
          status: z.enum(planStatuses),
          activity: z.optional(z.string().check(z.maxLength(1000))),
        }),
      )
      .check(
        z.maxLength(100),
        z.refine((steps) => steps.filter(({ status }) => status === "in_progress").length <= 1, {
          error: "at most one step can be in_progress",
        }),
        z.describe("All steps in order. Omit to show the plan."),
      ),
  ),
  explanation: z.optional(z.string().check(z.maxLength(5000))),
});

/** Stores and shows a plan. Clients learn of it from the event that ends the call. */
export const planUpdate: Tool<z.infer<typeof input>, Plan> = {
  name: "plan.update",
  description:
    "Create or update a plan for a multi-step task. Send the whole list each time, at most one step in progress.",
  risk: "read",
  input,
  limits: { maxChars: 20_000, keep: "both" },
  accesses: () => [],

  async run({ steps, explanation }, { plan: memory }) {
    if (steps !== undefined) memory.plan = { steps, explanation };
    return { data: memory.plan, text: showPlan(memory.plan) };
  },
};

function showPlan({ steps }: Plan): string {
  if (steps.length === 0) return "The plan is empty.";
  const done = steps.filter(({ status }) => status === "completed").length;
  const lines = steps.map(
    ({ step, status }) => `${marks[status]} ${printableLine(step.replace(/\s+/g, " "))}`,
  );
  return [`The plan: ${done} of ${counted(steps.length, "step")} done.`, ...lines].join("\n");
}

const marks: Readonly<Record<PlanStatus, string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
  blocked: "[!]",
};
