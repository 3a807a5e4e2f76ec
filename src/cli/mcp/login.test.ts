import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { consent, protectedServer } from "../../../test/support/mcp/authorization-server.ts";

it("logs in at the printed address, and out again", { tags: "slow" }, async () => {
  await using server = await protectedServer();
  await using cli = cliWorkspace();
  cli.write(
    join(cli.home, "config/mcp.json"),
    JSON.stringify({ mcpServers: { one: { url: server.url, protocol: "2025" } } }),
  );
  expect(await cli.run("mcp", "servers")).toEqual({
    exit: 1,
    stdout: "one  failed  http  0 tools\n",
    stderr: "The MCP server one: it needs a login: toolcrib mcp login one.\n",
  });
  const child = cli.start("mcp", "login", "one", "--no-open");
  const output = text(child.stdout);
  const closed = once(child, "close");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (line.startsWith(`${server.origin}/authorize?`)) expect(await consent(new URL(line))).toBe(200);
  }
  await closed;
  expect(lines[0]).toBe(`Log in to one at ${server.origin}, within 5 minutes:`);
  expect(await output).toBe("Logged in to one. Running sessions connect to it by themselves.\n");
  expect(await cli.run("mcp", "servers")).toEqual({
    exit: 0,
    stdout: "one  ready  http  1 tool  protected 1\n",
    stderr: "",
  });
  expect((await cli.run("mcp", "logout", "one")).stdout).toBe("Logged out of one: the tokens are deleted.\n");
  expect((await cli.run("mcp", "logout", "one")).stdout).toBe("There is no login to one.\n");
  expect((await cli.run("mcp", "servers")).exit).toBe(1);
});

it("says who gets the access when the login page is on another host", { tags: "slow" }, async () => {
  await using server = await protectedServer({
    serverMetadata: (metadata) => ({
      ...metadata,
      authorization_endpoint: `http://localhost:${new URL(server.origin).port}/authorize`,
    }),
  });
  await using cli = cliWorkspace();
  const mcpServers = { one: { url: server.url, protocol: "2025" } };
  cli.write(join(cli.home, "config/mcp.json"), JSON.stringify({ mcpServers }));
  const child = cli.start("mcp", "login", "one", "--no-open");
  const ended = once(child, "close");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (line.startsWith("http")) child.kill("SIGKILL");
  }
  await ended;
  const { host, port } = new URL(server.origin);
  expect(lines[1]).toBe(`The page is on localhost:${port}. The access that you grant there goes to ${host}.`);
});

it("refuses a server that is missing, local, disabled or authorized by its settings", async () => {
  await using cli = cliWorkspace();
  const url = "https://mcp.example/mcp";
  cli.write(
    join(cli.home, "config/mcp.json"),
    JSON.stringify({
      mcpServers: {
        local: { command: "x" },
        off: { url, disabled: true },
        key: { url, headers: { authorization: "Bearer x" } },
        plain: { url: "http://mcp.example/mcp" },
        program: {
          url,
          oauth: {
            grant: "client_credentials",
            clientId: "me",
            clientSecret: "secret",
            issuer: "https://login.example",
          },
        },
      },
    }),
  );
  const messages = await Promise.all(
    ["none", "local", "off", "key", "plain", "program"].map(
      async (name) => (await cli.run("mcp", "login", name)).stderr.split("\n")[0],
    ),
  );
  expect(messages).toEqual([
    "No MCP server named none is configured",
    "The MCP server local runs on this machine and needs no login",
    "The MCP server off is disabled",
    "The MCP server key has an Authorization header in its settings",
    "The login would use http://mcp.example, which is not an https address",
    "The MCP server program needs no login: Toolcrib logs in with the `oauth.grant` of its settings",
  ]);
});
