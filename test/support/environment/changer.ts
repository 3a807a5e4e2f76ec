/**
 * Makes a change in a workspace, killed or hindered at one of its steps; prints the step. Arguments: the folder of
 * workspace and records; the change, see makeChange; an Interference as JSON.
 */
import { type Interference, interfere } from "./interference.ts";
import { makeChange } from "./make-change.ts";

const [home, act, interference] = process.argv.slice(2) as [string, string, string];
const stop = interfere(JSON.parse(interference) as Interference);
await makeChange(home, act).catch(() => undefined);
process.stdout.write(JSON.stringify(stop()));
