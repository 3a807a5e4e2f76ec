import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { chooseRoot } from "./serve-stdio.ts";

it("chooses the first root that is a folder and neither `/` nor the home folder", async () => {
  await using folder = temporaryFolder();
  const path = realpathSync(folder.path);
  const [project, file, link, homeLink] = ["project", "file", "link", "home"].map((name) => join(path, name));
  mkdirSync(project!);
  writeFileSync(file!, "");
  symlinkSync(project!, link!);
  symlinkSync(homedir(), homeLink!);
  const wide = ["/", homedir(), dirname(homedir()), homeLink!, `${homedir()}/.`];
  expect([
    chooseRoot([...wide, file!, join(path, "none"), link!, path]),
    chooseRoot(wide),
    chooseRoot([]),
    // The server was started in one of them.
    chooseRoot([file!, path], path),
    chooseRoot([link!, path], project),
  ]).toEqual([project, undefined, undefined, undefined, undefined]);
});
