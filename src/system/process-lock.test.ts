import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { withProcessLock } from "./process-lock.ts";

const soon = () => AbortSignal.timeout(60_000);

it("lets one call at a time run, in one process", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "lock");
  const steps: string[] = [];
  const act = (name: string) =>
    withProcessLock(file, soon(), async () => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
    });
  await Promise.all([act("one"), act("two")]);
  expect(steps.map((step) => step.split(" ")[1])).toEqual(["begins", "ends", "begins", "ends"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("waits for another process, and gets the lock when that process is killed", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "lock");
  const module = JSON.stringify(join(import.meta.dirname, "process-lock.ts"));
  // Two calls, of which the second waits: it must not release the lock of the first.
  const program = `import { withProcessLock } from ${module};
    const act = () => new Promise((resolve) => {
      globalThis.resolve = resolve;
      setInterval(() => console.log("held"), 50);
    });
    const take = () => withProcessLock(${JSON.stringify(file)}, new AbortController().signal, act);
    globalThis.calls = [take(), take()];`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  const refused = withProcessLock(file, AbortSignal.abort(new Error("too late")), async () => "never");
  await expect(refused).rejects.toThrow("too late");
  let isHeld = true;
  const next = withProcessLock(file, soon(), async () => isHeld);
  await once(holder.stdout, "data");
  isHeld = false;
  holder.kill("SIGKILL");
  expect(await next).toBe(false);
});

it("releases the lock after an error", async () => {
  await using folder = temporaryFolder();
  const file = join(folder.path, "lock");
  const failing = withProcessLock(file, soon(), async () => {
    throw new Error("failed");
  });
  await expect(failing).rejects.toThrow("failed");
  expect(await withProcessLock(file, soon(), async () => "free")).toBe("free");
});
