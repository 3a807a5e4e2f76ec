/**
 * Makes calls that change files until it is killed. Prints a line when it begins, and the id of each call that was answered.
 * Arguments: the folder of state and config; a name for its files; where it works, as JSON.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [home, name, where] = process.argv.slice(2) as [string, string, string];
const crib = await openToolcrib({
  ...(JSON.parse(where) as object),
  ...{ stateDirectory: join(home, "state"), configDirectory: join(home, "config"), mode: "yolo" },
});
writeSync(1, "begun\n");
const call = async (tool: string, input: object) => {
  const { callId, isError, content } = await crib.call(tool, input);
  if (isError) throw new Error(content);
  writeSync(1, `${callId}\n`);
};
for (let round = 0; ; round += 1) {
  const path = `${name}/${round}.txt`;
  await call("file.write", { path, content: "x".repeat(round * 100) });
  await call("file.write", { path: "kept.txt", content: `by ${name} in ${round}\n` });
  await call("edit.replace", { path: "kept.txt", find: "by", replace: "edited by" });
  await call("file.move", { from: path, to: `moved/${path}` });
  await crib.call("file.read", { path: "kept.txt" });
}
