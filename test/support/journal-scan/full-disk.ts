/** Runs a command without disk space for what it may change. Argument: the home of a fixture. Prints the error. */
import { openFixtureIn } from "./command-fixture.ts";

const { crib } = await openFixtureIn(process.argv[2]!);
const { error } = await crib.call("trial.bash", { command: "rm large" });
process.stdout.write(JSON.stringify(error));
await crib.close();
