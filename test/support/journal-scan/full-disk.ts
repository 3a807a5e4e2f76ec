/** Runs a command where there is no space to keep what it may change. Argument: the home of a room. Prints the error. */
import { openRoomIn } from "./command-room.ts";

const { crib } = await openRoomIn(process.argv[2]!);
const { error } = await crib.call("trial.bash", { command: "rm large" });
process.stdout.write(JSON.stringify(error));
await crib.close();
