import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { openBlobs } from "../blobs.ts";
import { keepingEnvironment } from "./keeping-environment.ts";

const noText = (folder: string) => Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]);

/** Some systems refuse such names, so there is nothing to test. */
function canBeMade(make: () => void): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

it("deletes files whose names are not valid text, and reports that they are not stored", async () => {
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  for (const name of ["files", "folders"]) mkdirSync(join(workspace, name), { recursive: true });
  writeFileSync(join(workspace, "files/a.txt"), "a");
  const isMade = canBeMade(() => {
    writeFileSync(noText(join(workspace, "files")), "b");
    mkdirSync(noText(join(workspace, "folders")));
  });
  const environment = openLocalEnvironment({ workspace });
  const paths: string[] = [];
  const kept = keepingEnvironment(environment, {
    callId: "call_1",
    journal: { change: (_, changes) => void paths.push(...changes.map(({ path }) => path)) },
    blobs: openBlobs(join(folder.path, "blobs")),
  });
  await kept.delete("files", { recursive: true });
  await kept.delete("folders", { recursive: true });
  expect(readdirSync(workspace)).toEqual([]);
  expect(paths).toEqual(["files", "files/a.txt", "folders"]);
  const lost = ["files/caf� (its name is not valid UTF-8)", "folders (a name in it is not valid UTF-8)"];
  expect(kept.notKept).toEqual(isMade ? lost : []);
  await environment.close();
});
