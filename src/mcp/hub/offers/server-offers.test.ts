import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, Server } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { ServerOffers } from "./server-offers.ts";

it("asks a server that hangs once, and again after it reports a change", async () => {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const capabilities = { resources: {}, prompts: {} };
  const server = new Server({ name: "slow", version: "1" }, { capabilities });
  const asked: string[] = [];
  for (const method of ["resources/list", "resources/templates/list", "prompts/list"] as const)
    server.setRequestHandler(method, () => {
      asked.push(method);
      return new Promise<never>(() => {});
    });
  const client = new Client({ name: "hub", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  const offers = new ServerOffers("slow", () => client, 200);
  // Both were asked for before the server was known to hang.
  const first = await Promise.all([offers.list("resources"), offers.list("templates")]);
  const later = [await offers.list("prompts"), await offers.list("resources")];
  expect([first, later, asked]).toEqual([
    [[], []],
    [[], []],
    ["resources/list", "resources/templates/list"],
  ]);
  offers.forget("prompts");
  await offers.list("prompts");
  expect(asked.at(-1)).toBe("prompts/list");
  await client.close();
});
