import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers the requests of a conversation, one after the other. */
export interface Loopback extends AsyncDisposable {
  readonly url: string;
}

/** Returns the reply to one request. Throws when the request is wrong. */
// biome-ignore lint/suspicious/noExplicitAny: each provider checks what it is sent
export type Turn = (request: any) => unknown;

/** A provider on this machine. It refuses a wrong request as providers do, with the reason. */
export async function serveTurns(turns: readonly Turn[]): Promise<Loopback> {
  let next = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    try {
      const turn = turns[next++];
      if (turn === undefined) throw new Error("the conversation was over");
      answer(200, turn(JSON.parse(Buffer.concat(chunks).toString())));
    } catch (error) {
      answer(400, { error: { type: "invalid_request_error", message: (error as Error).message } });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
