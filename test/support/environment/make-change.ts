import { join } from "node:path";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { exampleChanges } from "./change-world.ts";

/**
 * Opens the workspace in a folder, which recovers interrupted changes, and makes a change in it: "change" for all
 * example changes, the path of the only file to change, "move", or "recover" for none.
 */
export async function makeChange(folder: string, act: string): Promise<void> {
  const environment = openLocalEnvironment({
    workspace: join(folder, "workspace"),
    changeRecords: join(folder, "records"),
  });
  const changes = exampleChanges().filter(({ path }) => act === "change" || act === path);
  if (act === "move") await environment.move("b", "new/deep/b");
  else if (act !== "recover") await environment.change(changes);
}
