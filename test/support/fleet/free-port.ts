import { createServer } from "node:net";

/** Returns a port of the loopback interface that no program uses, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  if (typeof address !== "object" || address === null) throw new Error("No port is free.");
  return address.port;
}
