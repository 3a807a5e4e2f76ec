import { appendFileSync } from "node:fs";
import { runServer } from "../../../src/target/server.ts";

// A server for tests of the connection. It answers every message with its own, starts a process for "start", and logs
// every message to the file "seen" of the workspace, so that a test finds messages that arrived twice.
void runServer(JSON.parse(process.argv[3]!), async (environment, link) => {
  const { signal } = new AbortController();
  for await (const message of link.messages) {
    const text = Buffer.from(message).toString();
    appendFileSync(`${environment.workspace}/seen`, `${text.slice(0, 40)}\n`);
    if (text === "start") {
      const { pid } = await environment.start("/bin/sleep", { args: ["1000"], confinement: "ours", signal });
      await link.send(Buffer.from(`${pid}`));
    } else if (text === "pid") await link.send(Buffer.from(`${process.pid}`));
    else await link.send(message);
  }
  await environment.close();
});
