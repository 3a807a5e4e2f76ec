import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { listen } from "../../../test/support/network/proxy-lab.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../local/local-environment.ts";

it("runs eight exchanges at once; the others wait in order, and can be cancelled", async () => {
  const asked: (string | undefined)[] = [];
  const open: Socket[] = [];
  let most = 0;
  const first = Promise.withResolvers<void>();
  const answer = (socket: Socket) => {
    open.splice(open.indexOf(socket), 1);
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  };
  let isHeld = true;
  await using server = await listen((socket) => {
    most = Math.max(most, open.push(socket));
    socket.once("data", (request) => {
      asked.push(/ \/(\d+) /.exec(String(request))?.[1]);
      if (!isHeld) answer(socket);
      else if (asked.length === 8) first.resolve();
    });
  });
  await using folder = temporaryFolder();
  const environment = openLocalEnvironment({ workspace: folder.path });
  const cancelling = new AbortController();
  const never = new AbortController().signal;
  const answers = Array.from({ length: 20 }, (_, number) =>
    environment.exchange!({
      url: new URL(`http://127.0.0.1:${server.port}/${number}`),
      maxBytes: 10,
      signal: number === 9 ? cancelling.signal : never,
      mayConnect: () => true,
    }).then(
      ({ body }) => String(body),
      (error: Error) => error.message,
    ),
  );
  await first.promise;
  cancelling.abort();
  const given = await answers[9];
  isHeld = false;
  for (const socket of [...open]) answer(socket);
  await Promise.all(answers);
  await environment.close();
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n));
  expect([
    given,
    most,
    new Set(asked.slice(0, 8)),
    new Set(asked.slice(8)),
    await Promise.all(answers),
  ]).toEqual([
    `The call was cancelled while 127.0.0.1:${server.port} was read`,
    8,
    new Set(numbers(0, 8)),
    new Set(["8", ...numbers(10, 20)]),
    Array.from({ length: 20 }, (_, number) => (number === 9 ? given : "ok")),
  ]);
});
