/** @module-tag slow */
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const run = promisify(execFile);
const program = await bundledProgram(
  new URL("../../../test/support/shell-tools/much-output.ts", import.meta.url),
);

it("holds no more memory for 150 MB of output than for a little", async () => {
  await using folder = temporaryFolder();
  mkdirSync(join(folder.path, "workspace"));
  const command = "yes a line of output | head -c 150000000; echo; echo end";
  const { stdout } = await run(process.execPath, [program, folder.path, command]);
  const { grownMegabytes, ...answer } = JSON.parse(stdout);
  expect(grownMegabytes).toBeLessThan(64);
  expect(answer).toEqual({
    isError: false,
    lastLines: expect.arrayContaining([
      "end",
      expect.stringMatching(/^\[The first 34 MB of 150 MB of output are stored as out_\w+; /),
    ]),
  });
});
