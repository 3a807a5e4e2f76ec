import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openFixtureIn } from "./command-fixture.ts";

// A process to be killed while its command runs: node run-and-wait.ts <home>. The command ends by itself.
const home = process.argv[2]!;
const { crib, workspace } = await openFixtureIn(home);
void crib.call("trial.bash", { command: "rm a.txt; echo new > b.txt; touch ready; sleep 2" });
while (!existsSync(join(workspace, "ready"))) await wait(5);
process.send!("ready");
