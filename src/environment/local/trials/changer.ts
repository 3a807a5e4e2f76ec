/**
 * Opens a workspace, which settles what a crash has left there, and makes a change set in it if told. Stopped or
 * hindered where it is told, if at all; prints where that was. Arguments: the folder of workspace and records, what to
 * do, and an Interference as JSON.
 */
import { join } from "node:path";
import { openLocalEnvironment } from "../local-environment.ts";
import { exampleChanges } from "./change-world.ts";
import { type Interference, interfere } from "./interference.ts";

const [home, act, interference] = process.argv.slice(2) as [string, "change" | "recover", string];
const stop = interfere(JSON.parse(interference) as Interference);
const environment = openLocalEnvironment({
  workspace: join(home, "workspace"),
  changeRecords: join(home, "records"),
});
if (act === "change") await environment.change(exampleChanges()).catch(() => undefined);
process.stdout.write(JSON.stringify(stop()));
