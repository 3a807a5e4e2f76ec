/**
 * Begins a transaction, reports that, changes files, runs a command, rolls back and begins again, until it is killed.
 * Arguments: the folder of state and config; "parked": every call in its own instance; where it works, as JSON.
 */
import { join } from "node:path";
import { openToolcrib, type Toolcrib } from "../../../src/toolcrib/index.ts";

const [home, how, where] = process.argv.slice(2) as [string, string, string];
const isParked = how === "parked";
const open = () =>
  openToolcrib({
    ...(JSON.parse(where) as object),
    stateDirectory: join(home, "state"),
    configDirectory: join(home, "config"),
    mode: "yolo",
    parkTransaction: isParked,
  });

let crib: Toolcrib = await open();
const call = async (tool: string, input: object) => {
  const result = await crib.call(tool, input);
  if (result.isError) throw new Error(result.content);
  if (!isParked) return;
  await crib.close();
  crib = await open();
};

await call("transaction.begin", {});
process.stdout.write("begun\n");
for (let round = 0; ; round += 1) {
  await call("file.write", { path: `new ${round}/file.txt`, content: "x".repeat(20_000) });
  await call("file.write", { path: "src/a.txt", content: `round ${round}\n` });
  await call("file.move", { from: "src/b.txt", to: "moved/b.txt" });
  await call("edit.replace", { path: "moved/b.txt", find: "two", replace: "2" });
  await call("transaction.check", {
    command: `echo ${round} >> log.txt; rm -f src/c.txt; mkdir -p made/${round}`,
  });
  await call("file.delete", { path: `new ${round}`, recursive: true });
  await call("transaction.rollback", {});
  await call("transaction.begin", {});
}
