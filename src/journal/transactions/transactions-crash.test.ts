import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { snapshot } from "../../environment/local/trials/change-world.ts";
import { openToolcrib } from "../../toolcrib.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

it("is rolled back by the next start, whenever its process is killed", { timeout: 120_000 }, async () => {
  const lane = async () => {
    for (let time = 0; time < 11; time += 1) await killOnce("own", Math.random() * 400);
  };
  await Promise.all([lane(), lane()]);
});

it("is rolled back also where it was parked, when a process dies that went on with it", {
  timeout: 120_000,
}, async () => {
  for (let time = 0; time < 6; time += 1) await killOnce("parked", Math.random() * 400);
});

async function killOnce(how: "own" | "parked", afterMs: number): Promise<void> {
  const home = mkdtempSync(join(folder.path, "world "));
  const workspace = join(home, "workspace");
  mkdirSync(join(workspace, "src"), { recursive: true });
  for (const [name, content] of Object.entries({ a: "one\n", b: "two\n", c: "three\n" }))
    writeFileSync(join(workspace, "src", `${name}.txt`), content);
  const before = snapshot(workspace);
  const worker = spawn(
    process.execPath,
    [fileURLToPath(new URL("trials/worker.ts", import.meta.url)), home, how],
    {
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder.path, "compiled") },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exit = once(worker, "exit");
  await Promise.race([once(worker.stdout, "data"), exit]);
  await setTimeout(afterMs);
  worker.kill("SIGKILL");
  expect((await exit)[1]).toBe("SIGKILL");
  const directories = { stateDirectory: join(home, "state"), configDirectory: join(home, "config") };
  // Commands of the dead process may still be at work for a moment.
  await setTimeout(100);
  const crib = await openToolcrib({
    workspace,
    ...directories,
    mode: "yolo",
    parkTransaction: how === "parked",
  });
  const recovered = crib.recovered.flatMap(({ transaction, ...change }) => (transaction ? [change] : []));
  const unlike = recovered.filter(
    ({ outcome, leftAlone }) => outcome !== "taken back" || leftAlone.length > 0,
  );
  expect(unlike).toEqual([]);
  // Killed between two rooms it was parked: then nobody had it, and it goes on.
  if (how === "parked") await crib.call("transaction.rollback", {});
  expect(snapshot(workspace)).toEqual(before);
  await crib.close();
}
