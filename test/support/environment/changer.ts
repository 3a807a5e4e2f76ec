/**
 * Opens a workspace, which settles what a crash has left there, and makes a change set in it if told. Stopped or
 * hindered where it is told, if at all; prints where that was. Arguments: the folder of workspace and records; "recover",
 * "change", "move", or the path of the only file to be changed; an Interference as JSON.
 */
import { join } from "node:path";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { exampleChanges } from "./change-world.ts";
import { type Interference, interfere } from "./interference.ts";

const [home, act, interference] = process.argv.slice(2) as [string, string, string];
const stop = interfere(JSON.parse(interference) as Interference);
const environment = openLocalEnvironment({
  workspace: join(home, "workspace"),
  changeRecords: join(home, "records"),
});
const changes = exampleChanges().filter(({ path }) => act === "change" || act === path);
if (act === "move") await environment.move("b", "new/deep/b");
else if (act !== "recover") await environment.change(changes).catch(() => undefined);
process.stdout.write(JSON.stringify(stop()));
