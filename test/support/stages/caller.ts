/**
 * Makes one call in a fixture, killed at the given step. Arguments: the folder of workspace and state; the name of one
 * of the changing calls; the step. Without a step: makes and undoes several calls, whose names are separated by line
 * ends, and prints the number of steps of each.
 */
import { interfere } from "../environment/interference.ts";
import { changingCalls, changingScript, openKeepFixture } from "./keep-world.ts";

const [home, names, killAt] = process.argv.slice(2) as [string, string, string | undefined];
const crib = await openKeepFixture(home);
// Loads and opens everything first, so that only the steps of the calls count.
await crib.call("file.write", { path: "warm", content: "" });
await crib.call("file.delete", { path: "warm" });
const counts: number[] = [];
for (const name of names.split("\n")) {
  const [, tool, input] = [...changingCalls, changingScript].find(([other]) => other === name)!;
  const stop = interfere(killAt === undefined ? {} : { killAt: Number(killAt) });
  const { callId, error } = await crib.call(tool, input);
  counts.push(stop().steps);
  if (error !== null) throw new Error(error.message);
  await crib.call("journal.undo", { call: callId });
}
await crib.close();
process.stdout.write(JSON.stringify(counts));
