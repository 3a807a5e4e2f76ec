/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { WorkerRecords } from "./worker-records.ts";

it("WorkerRecords names the workers whose process was killed, once", async () => {
  await using folder = temporaryFolder();
  const program = `
    const { WorkerRecords } = await import(${JSON.stringify(new URL("worker-records.ts", import.meta.url).href)});
    new WorkerRecords(process.argv[1], "worker_killed");
  `;
  execFileSync(process.execPath, ["--input-type=module", "-e", program, folder.path]);
  const records = new WorkerRecords(folder.path, "worker_alive");
  const ended = records.ended();
  expect(ended.map(({ id }) => id)).toEqual(["worker_killed"]);
  ended[0]!.forget();
  expect(records.ended()).toEqual([]);
  records.remove();
  expect(readdirSync(join(folder.path, "workers"))).toEqual([]);
});
