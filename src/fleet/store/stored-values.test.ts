import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resultWith, settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadSqlite } from "../../system/sqlite-file.ts";
import { openFleetStore } from "./open-fleet-store.ts";

/** A store with one ended run, whose rows `statement` changes. */
async function changedStore(statement: string, ...values: readonly string[]) {
  const folder = temporaryFolder();
  const file = join(folder.path, "fleet.sqlite");
  const store = await openFleetStore({ file });
  const { added } = await store.submit("nightly", settingsWith(), [specOf("one"), specOf("two")]);
  await store.heartbeat(workerOf("worker-1"), []);
  const claimed = await store.claim(added[0]!, "worker-1");
  if (!claimed.claimed) throw new Error("The run was not claimed");
  await store.end(claimed.claim, "solved", "", resultWith("Done."));
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file);
  database.prepare(statement).run(...values);
  database.close();
  return {
    store,
    id: added[0]!,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("a store whose rows were changed", () => {
  it.each(["{", "null", "[]", '{"fleet":"nightly"}', JSON.stringify(specOf("one", { rules: [7] as never }))])(
    "returns an empty spec, which grants nothing, for %s",
    async (spec) => {
      await using changed = await changedStore("UPDATE runs SET spec = ? WHERE task = 'one'", spec);
      const [one, two] = await changed.store.runs({ fleet: "nightly" });
      expect(one?.spec).toMatchObject({ task: "one", mode: "paranoid", prompt: "", repository: null });
      expect(two?.spec).toEqual(specOf("two"));
    },
  );

  it("returns no result and no outcome that are not valid", async () => {
    const markup = "<meta http-equiv=refresh>";
    const result = { ...resultWith(""), usage: { ...resultWith("").usage, input: markup } };
    const change = "UPDATE runs SET result = ?, outcome = ?, state = ?, reason = ? WHERE outcome = 'solved'";
    await using changed = await changedStore(change, JSON.stringify(result), markup, markup, markup);
    const runs = await changed.store.runs({ fleet: "nightly" });
    expect(runs[0]).toMatchObject({ state: "ended", outcome: null, result: null });
    expect(await changed.store.counts("nightly")).toMatchObject({ states: { waiting: 1, ended: 0 } });
  });

  it("admits no request with settings that are not valid", async () => {
    await using changed = await changedStore("UPDATE fleets SET settings = ?", '{"budget":"much"}');
    expect((await changed.store.fleets())[0]?.settings).toEqual({
      ...{ budget: 0, lanes: {}, deliveries: 0, parkedHours: 0 },
    });
  });
});
