import { fastify } from "fastify";
import { openToolcrib } from "toolcrib";
import { newHttpHandler } from "toolcrib/mcp";

const customers = new Map([
  ["Bearer key-of-ada", "ada"],
  ["Bearer key-of-bob", "bob"],
]);

const mcp = newHttpHandler({
  serverInfo: { name: "acme", version: "1.0.0" },
  open: ({ tenant }) => openToolcrib({ workspace: `workspaces/${tenant}` }),
});

const app = fastify({ bodyLimit: 32 * 1024 * 1024 });
app.all("/mcp", async (request, reply) => {
  const tenant = customers.get(request.headers.authorization ?? "");
  reply.hijack();
  await mcp.listener(request.raw, reply.raw, { tenant, body: request.body });
});

await app.listen({ port: 0, host: "127.0.0.1" });
console.log(JSON.stringify(app.server.address()));
process.once("SIGTERM", async () => {
  await mcp.close();
  await app.close();
});
