/**
 * Makes one call in a fixture, stopped at the given step; prints the number of steps. Arguments: the folder of
 * workspace and state; the name of one of the changing calls, or "undo"; an Interference as JSON.
 */
import { type Interference, interfere } from "../environment/interference.ts";
import { changingCalls, changingScript, openKeepFixture } from "./keep-world.ts";

const [home, name, interference] = process.argv.slice(2) as [string, string, string];
const crib = await openKeepFixture(home);
const all = [...changingCalls, changingScript];
const [, tool, input] = all.find(([other]) => other === name) ?? ["", "journal.undo", {}];
// Loads and opens everything first, so that only the steps of the call count.
await crib.call("file.write", { path: "warm", content: "" });
await crib.call("file.delete", { path: "warm" });
const stop = interfere(JSON.parse(interference) as Interference);
const result = await crib.call(tool, input);
const { steps } = stop();
await crib.close();
process.stdout.write(JSON.stringify({ steps, error: result.error }));
