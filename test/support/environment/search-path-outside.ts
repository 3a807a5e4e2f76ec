// Prints the PATH that a program gets outside the sandbox in the given workspace.
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const program = await environment.start("/bin/sh", {
  args: ["-c", 'printf %s "$PATH"'],
  confinement: { unconfined: true },
  signal: new AbortController().signal,
});
for await (const piece of program.stdout) process.stdout.write(piece);
await program.exit;
await environment.close();
