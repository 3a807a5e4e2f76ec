import { expect, it } from "vitest";
import { contentOf, failure, failureOf } from "./conformance/world.ts";
import { withOutputs } from "./foreign-environment.ts";
import { MemoryEnvironment } from "./memory/memory-environment.ts";

it("changes files of the environment, but no stored output", async () => {
  const handle = "out_abcdefabcdef";
  const inner = new MemoryEnvironment();
  const environment = withOutputs(inner, new MemoryEnvironment({ files: { [handle]: "kept" } }));
  const add = (path: string) => ({ path, before: "nothing", after: Buffer.from("new") });
  await environment.change([add("one"), add("two")]);
  expect(await failureOf(environment.change([add("three"), add(handle)]))).toEqual(
    failure(
      "denied",
      `${handle} is a stored output and cannot be changed`,
      "Write to a path in the workspace instead.",
    ),
  );
  expect(await contentOf(inner)).toEqual({ one: "new", two: "new" });
});
