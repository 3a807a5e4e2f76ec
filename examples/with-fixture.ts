import { strict as assert } from "node:assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openToolcrib, type Toolcrib } from "toolcrib";

/** Lets `work` use a model to correct a poem in a temporary workspace, and checks the result. */
export async function withFixture(work: (crib: Toolcrib) => Promise<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib example "));
  const workspace = mkdtempSync(join(folder, "work"));
  writeFileSync(join(workspace, "poem.txt"), "Two roads diverged in a blue wood\n");
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
  });
  try {
    console.log(await work(crib));
    assert.equal(readFileSync(join(workspace, "poem.txt"), "utf8"), "Two roads diverged in a yellow wood\n");
  } finally {
    await crib.close();
    rmSync(folder, { recursive: true });
  }
}
