/** A server for crowd.ts that reports the longest delay of its event loop. */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { serveHttp } from "../../src/mcp/server/http/serve-http.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";

const [folder = "."] = process.argv.slice(2);
const served = await serveHttp({
  token: "bench",
  port: 0,
  open: () =>
    openToolcrib({
      workspace: join(folder, "work"),
      stateDirectory: join(folder, "state"),
      configDirectory: join(folder, "config"),
    }),
});
const delay = monitorEventLoopDelay({ resolution: 5 });
process.on("message", async (message) => {
  if (message === "reset") {
    delay.enable();
    return;
  }
  process.send!({ worstDelayMs: delay.max / 1e6 });
  await served.close();
  process.disconnect();
});
process.send!({ url: served.url });
