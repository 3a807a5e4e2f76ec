import { expect, it } from "vitest";
import { openLocalWorld } from "../../../environment/conformance/local-world.ts";
import { compareSnapshots } from "./compare-snapshots.ts";

it("takes no entry of a directory that the first scan did not list for a new one", async () => {
  await using world = openLocalWorld({ files: { "seen/old": "", "unseen/old": "", "unseen/deep/old": "" } });
  const whole = await world.environment.listEntries!();
  const cut = {
    ...whole,
    entries: new Map([...whole.entries].filter(([path]) => !path.startsWith("unseen/"))),
    leftOut: new Map([["unseen", "unreadable"]] as const),
  };
  await world.environment.writeFile("seen/new", Buffer.from(""));
  const after = await world.environment.listEntries!();
  const { differences } = compareSnapshots(cut, after, () => "");
  const created = differences.filter(({ before }) => before.kind === "nothing").map(({ path }) => path);
  expect(created).toEqual(["seen/new"]);
});
