/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { textOf } from "../../../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

const leaker = fileURLToPath(new URL("../../../../test/support/environment/leaker.ts", import.meta.url));

it.runIf(process.platform === "linux")("passes on no inherited descriptor", async () => {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "work");
  mkdirSync(workspace);
  const directory = openSync("/", "r");
  const between = Array<"ignore">(247).fill("ignore");
  const child = spawn(process.execPath, [leaker, workspace, "none"], {
    stdio: ["ignore", "pipe", "inherit", ...between, directory],
  });
  closeSync(directory);
  const [output, [code]] = await Promise.all([textOf(child.stdout!), once(child, "exit")]);
  expect([JSON.parse(output), code]).toEqual([["/dev/null"], 0]);
});
