import { expect, it } from "vitest";
import { toolContext } from "../../../test/support/tool-context.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { planUpdate } from "./update.ts";

it("stores the plan, shows it, and clears it", async () => {
  const context = toolContext(new MemoryEnvironment());
  const steps = [
    { step: "read\nit", status: "completed" },
    { step: "change it", status: "in_progress", activity: "Changing it" },
    { step: "test it", status: "pending" },
    { step: "ask", status: "blocked" },
    { step: "print it", status: "cancelled" },
  ] as const;
  const plan = { steps: [...steps], explanation: "the order of things" };
  const empty = { steps: [], explanation: undefined };
  const text = "The plan: 1 of 5 steps done.\n[x] read it\n[>] change it\n[ ] test it\n[!] ask\n[-] print it";
  expect([
    await planUpdate.run({}, context),
    await planUpdate.run(plan, context),
    await planUpdate.run({}, context),
    await planUpdate.run({ steps: [] }, context),
  ]).toEqual([
    { data: empty, text: "The plan is empty." },
    { data: plan, text },
    { data: plan, text },
    { data: empty, text: "The plan is empty." },
  ]);
});

it("allows one step in progress", () => {
  const step = { step: "a", status: "in_progress" };
  const parse = (steps: unknown) => planUpdate.input["~standard"].validate({ steps });
  expect([parse([step]), parse([step, step])]).toEqual([
    { value: { steps: [step] } },
    { issues: [expect.objectContaining({ message: "at most one step can be in_progress" })] },
  ]);
});
