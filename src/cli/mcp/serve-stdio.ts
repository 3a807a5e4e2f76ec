import { serveStdio } from "../../mcp/server/serve-stdio.ts";
import type { Arguments } from "../command.ts";
import { remark } from "../terminal.ts";
import { version } from "../version.ts";
import { configuredHub } from "./configured-hub.ts";
import { leave, untilToldToEnd } from "./leave.ts";
import { openRoom } from "./open-room.ts";
import { instructionsOf, roomOptions } from "./room-options.ts";

/** `toolcrib mcp`: one client, one room, until the client has gone. */
export async function serveStdioClient(given: Arguments): Promise<number> {
  const options = roomOptions(given);
  const connection = serveStdio({
    version,
    instructions: instructionsOf(options),
    open: async () => {
      const sources = await configuredHub(options.workspace);
      try {
        return await openRoom({ ...options, sources });
      } catch (error) {
        await Promise.all(sources.map((hub) => hub.close()));
        throw error;
      }
    },
    remark: (text) => remark(`toolcrib mcp: ${text}\n`),
  });
  await Promise.race([connection.ended, untilToldToEnd({ withParent: true })]);
  return leave(() => connection.close());
}
