import { expect, it } from "vitest";
import { HubServer } from "./hub-server.ts";
import { usualTimes } from "./hub-times.ts";
import { hubTool } from "./hub-tool.ts";
import { LoginStore } from "./oauth/login-store.ts";
import { readSettings, type ServerConfiguration } from "./settings/read-settings.ts";

it("lets a server's annotations only raise the risk of its tools, unless the user trusts them", () => {
  const reads = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
  const deletes = { destructiveHint: true };
  const risks = [{ command: "x" }, { url: "http://localhost" }, { command: "x", trustAnnotations: true }].map(
    (server) => [undefined, reads, deletes].map((annotations) => toolOf(server, annotations).risk),
  );
  expect(risks).toEqual([
    ["execute", "execute", "destructive"],
    ["network", "network", "destructive"],
    ["execute", "read", "destructive"],
  ]);
  const hints = [false, true].map(
    (trustAnnotations) => toolOf({ command: "x", trustAnnotations }, reads).hints,
  );
  expect(hints).toEqual([
    { title: "One", openWorld: true },
    { title: "One", readOnly: true, idempotent: true, openWorld: false },
  ]);
});

it("shows the user what would be sent to which server when asking for approval", async () => {
  const tool = toolOf({ command: "x" }, undefined);
  expect(tool.accesses({ a: 1 })).toEqual([]);
  expect(await tool.preview?.({ a: 1 }, {} as never)).toBe('Calls one of the MCP server srv with:\n{"a": 1}');
});

function toolOf(configuration: ServerConfiguration, annotations: unknown) {
  const settings = readSettings("srv", configuration, { workspace: "/", variables: {} });
  if (settings === "disabled") throw new Error("It is not");
  const logins = new LoginStore("/none");
  const options = {
    workspace: "/",
    startRecords: "/",
    times: { ...usualTimes, restartMs: 1 },
    onChange: () => {},
    onOffersChange: () => {},
    elicit: undefined,
    logins,
  };
  return hubTool({ name: "one", title: "One", annotations }, new HubServer(settings, options));
}
