/**
 * Undoes the latest call of a workspace, or makes one, stopped at the given step; prints the number of steps.
 * Arguments: the workspace; its state folder; tool and input as JSON; an Interference as JSON.
 */

import { openToolcrib } from "../../../src/toolcrib/index.ts";
import { type Interference, interfere } from "../environment/interference.ts";

const [workspace, state, call, interference] = process.argv.slice(2) as [string, string, string, string];
const [tool, input] = JSON.parse(call) as [string, object];
const crib = await openToolcrib({
  workspace,
  stateDirectory: state,
  configDirectory: `${state} config`,
  mode: "yolo",
  undoScope: "workspace",
});
// Loads what the first call loads, which is not tested here.
await crib.call("journal.diff", { last: 1 });
const stop = interfere(JSON.parse(interference) as Interference);
const { content, isError } = await crib.call(tool, input);
const { steps } = stop();
await crib.close();
process.stdout.write(JSON.stringify({ steps, content, isError }));
