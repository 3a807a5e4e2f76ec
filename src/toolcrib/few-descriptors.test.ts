import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { withDescriptorLimit } from "../../test/support/descriptor-limit.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const program = await bundledProgram(new URL("../../test/support/few-descriptors.ts", import.meta.url));

describe.runIf(process.platform === "linux")("when descriptors run out, an instance", () => {
  it("gives no wrong answer, says why, and recovers", () => callWithFree("1,6"));

  it("gives no wrong answer at any number of free ones", { tags: "slow" }, () =>
    callWithFree("1,2,3,4,5,6,8,12,18"),
  );
});

/** Makes calls with each of these numbers of free descriptors. */
async function callWithFree(numbers: string): Promise<void> {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(join(workspace, "a/b/c"), { recursive: true });
  for (const name of ["one", "two"]) {
    writeFileSync(join(workspace, `a/b/${name}.txt`), `needle ${name}\n`);
    writeFileSync(join(workspace, `a/b/c/${name}.ts`), "export {};\n");
  }
  await promisify(execFile)("git", ["init", "-q", workspace]);
  const command = [process.execPath, program, workspace, join(folder.path, "state"), numbers];
  const args = withDescriptorLimit(96, command);
  const { stdout } = await promisify(execFile)("bash", args, { env: { ...process.env, NODE_OPTIONS: "" } });
  expect(JSON.parse(stdout)).toEqual([]);
}
