import express from "express";
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

const app = express();
app.use(express.json({ limit: "32mb" }));
app.all("/mcp", (request, response) =>
  mcp.listener(request, response, { tenant: customers.get(request.get("authorization") ?? "") }),
);

const server = app.listen(0, "127.0.0.1", () => console.log(JSON.stringify(server.address())));
process.once("SIGTERM", async () => {
  server.close();
  await mcp.close();
});
