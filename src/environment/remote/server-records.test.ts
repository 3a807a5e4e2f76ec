import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { thisProcess } from "../../system/process-identity.ts";
import { ServerRecords } from "./server-records.ts";

describe("ServerRecords", () => {
  it("lists servers of ended processes and lost servers, and none of living processes", async () => {
    await using folder = temporaryFolder();
    const records = new ServerRecords(folder.path);
    for (const session of ["a1", "a2", "a3"]) records.add(session);
    records.remove("a1");
    records.abandon("a2");
    const [pid, start, boot, namespace] = thisProcess().split("-");
    const owners = {
      b1: [pid, `${start}1`, boot, namespace],
      b2: [pid, start, "otherone", namespace],
      b3: [pid, `${start}1`, boot, `${namespace}1`],
    };
    for (const [session, owner] of Object.entries(owners))
      writeFileSync(join(folder.path, `${owner.join("-")}.${session}`), "");
    const found = records.abandoned().toSorted((one, other) => (one.session < other.session ? -1 : 1));
    expect(found).toEqual([
      { session: "a2", mayBeElsewhere: false },
      { session: "b1", mayBeElsewhere: false },
      { session: "b2", mayBeElsewhere: true },
    ]);
    records.forget(["a2", "b1"]);
    expect(records.abandoned().map(({ session }) => session)).toEqual(["b2"]);
    expect(readdirSync(folder.path)).toHaveLength(3);
  });
});
