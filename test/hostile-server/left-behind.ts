/** Opens a hub with a server that ignores every signal, prints the server's process id, and waits to be killed. */
import { join } from "node:path";
import { connectHub } from "../../src/mcp/hub/connect-hub.ts";

const folder = process.argv[2]!;
const hub = connectHub({
  workspace: folder,
  stateDirectory: join(folder, "state"),
  servers: {
    stubborn: {
      command: process.execPath,
      args: [join(import.meta.dirname, "server.ts"), "ignores-signals"],
    },
  },
});
await hub.ready;
console.log(hub.states()[0]?.pid);
setInterval(() => {}, 1_000);
