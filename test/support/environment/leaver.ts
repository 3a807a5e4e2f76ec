/** Starts a program that would run forever, prints its process id and ends without closing anything. */
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const { signal } = new AbortController();
const program = await environment.start("/bin/sh", { args: ["-c", "echo $$; sleep 600"], signal });
for await (const piece of program.stdout) {
  process.stdout.write(piece);
  process.exit(0);
}
