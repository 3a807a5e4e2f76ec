/** @module-tag slow */
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { listening } from "../../../../test/support/network/proxy-lab.ts";
import { openLoopbackNetwork } from "./loopback-network.ts";

describe("openLoopbackNetwork", () => {
  it("serves only programs that have its variables", async () => {
    await using server = await listening(createServer((_, response) => response.end("reached")));
    const network = await openLoopbackNetwork({ mayConnect: (host) => host === "127.0.0.1" });
    const script = `
      const answer = await fetch("http://127.0.0.1:${server.port}/").then((response) => response.text(), String);
      const other = await fetch("http://other.example/").then((response) => response.text(), String);
      console.log(JSON.stringify({ answer, other }));
    `;
    const { variables } = network;
    const withoutSecret = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace(/toolcrib:.*@/, "")]),
    );
    const run = async (env: Record<string, string>) => {
      const args = ["--input-type=module", "-e", script];
      return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout);
    };
    const { no_proxy, NO_PROXY } = variables;
    expect([no_proxy?.split(",").slice(0, 3), NO_PROXY]).toEqual([["localhost", "::1", "0.0.0.0"], no_proxy]);
    expect([await run(variables), await run(withoutSecret)]).toEqual([
      { answer: "reached", other: "TypeError: fetch failed" },
      { answer: "TypeError: fetch failed", other: "TypeError: fetch failed" },
    ]);
    expect(await network.close()).toEqual([
      'refused other.example:80: to allow it, add the rule "allow connect other.example"',
    ]);
    await expect(fetch(`http://127.0.0.1:${network.port}/`)).rejects.toThrow("fetch failed");
  });
});
