import { setTimeout as pause } from "node:timers/promises";
import type { ToolSource } from "../../contract/source.ts";
import type { Hub } from "../../mcp/hub/connect-hub.ts";
import { readServers } from "../../mcp/hub/settings/read-servers.ts";

/** The tools of the servers that are configured for a workspace; none, where there are none and nothing to be told. */
export async function configuredHub(
  workspace: string,
  // Long enough for a client to have our own tools: other servers' come when they are there.
  { startAfterMs = 300 }: { readonly startAfterMs?: number } = {},
): Promise<readonly Hub[]> {
  const configured = await readServers({ workspace });
  if (Object.keys(configured.servers).length === 0 && configured.warnings.length === 0) return [];
  const { connectHub } = await import("../../mcp/hub/connect-hub.ts");
  return [
    connectHub({ workspace, ...configured, startAfter: pause(startAfterMs, undefined, { ref: false }) }),
  ];
}

/** For one of several rooms that use the same servers: closing it leaves them running. */
export function shared(hub: ToolSource): ToolSource {
  const stops = new Set<() => void>();
  return {
    get tools() {
      return hub.tools;
    },
    get warnings() {
      return hub.warnings;
    },
    get ready() {
      return hub.ready;
    },
    onChange: (listener) => {
      const stop = hub.onChange(listener);
      stops.add(stop);
      return () => {
        stops.delete(stop);
        stop();
      };
    },
    close: async () => {
      for (const stop of stops) stop();
    },
  };
}
