import { expect, it } from "vitest";
import { ToolError } from "../../contract/error.ts";
import { retryWhenStale } from "./edit-files.ts";

const stale = () => new ToolError("stale", "The file has changed");

it("retryWhenStale plans again when the file changed before the write", async () => {
  const written: number[] = [];
  let plans = 0;
  const result = await retryWhenStale(
    async () => ++plans,
    async (plan) => {
      written.push(plan);
      if (plan < 3) throw stale();
      return `plan ${plan}`;
    },
  );
  expect([result, written]).toEqual(["plan 3", [1, 2, 3]]);
});

it("retryWhenStale does not repeat a plan that is refused as stale", async () => {
  let plans = 0;
  const refused = retryWhenStale(
    async () => {
      plans += 1;
      throw stale();
    },
    async () => "written",
  );
  await expect(refused).rejects.toMatchObject({ code: "stale" });
  expect(plans).toBe(1);
});
