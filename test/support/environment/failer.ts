/**
 * Makes the same change set in as many new workspaces as it has steps, and lets one step fail in each. Prints how each
 * went. Arguments: a folder, below which each workspace has one named after the step that failed; what else is
 * wrong there, as JSON.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { exampleChanges, makeChangeWorld } from "./change-world.ts";
import { type Interference, interfere } from "./interference.ts";

const [home, interference] = process.argv.slice(2) as [string, string];
const outcomes: ("before" | "after")[] = [];
for (let isOver = false; !isOver; ) {
  const failAt = outcomes.length + 1;
  const folder = join(home, `${failAt}`);
  mkdirSync(folder);
  makeChangeWorld(folder);
  const environment = openLocalEnvironment({
    workspace: join(folder, "workspace"),
    changeRecords: join(folder, "records"),
  });
  const stop = interfere({ ...(JSON.parse(interference) as Interference), failAt });
  const changing = environment.change(exampleChanges());
  outcomes.push(
    await changing.then(
      () => "after",
      () => "before",
    ),
  );
  isOver = stop().failedAt === 0;
  await environment.close();
}
process.stdout.write(JSON.stringify(outcomes));
