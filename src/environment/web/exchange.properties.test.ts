/** @module-tag slow */
import fc from "fast-check";
import { expect, it } from "vitest";
import { listen } from "../../../test/support/network/proxy-lab.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { ask } from "../../../test/support/web/web-lab.ts";

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const line = fc.constantFrom(
  ...["HTTP/1.1 200 OK", "HTTP/1.0 200", "HTTP/2 200", "HTTP/1.1 101 X", "HTTP/1.1 100 X", "HTTP/1.1 304 X"],
  ...[
    "Content-Length: 5",
    "Content-Length: 99999999999999999999",
    "Content-Length: -1",
    "Content-Length: 5, 5",
  ],
  ...["Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Connection: upgrade", "Upgrade: x"],
  ...[
    "Content-Encoding: gzip",
    "Content-Encoding: br",
    "Content-Encoding: zstd",
    "Content-Encoding: deflate",
  ],
  ...["", " folded", "No colon", "X: \u00e4", ": y", "5", "0", "ffffffffffffffff", "abcde"],
);
const chunks = fc.array(
  fc.oneof({ weight: 4, arbitrary: line.map((text) => Buffer.from(`${text}\r\n`, "latin1")) }, bytes),
  {
    maxLength: 12,
  },
);
const begun = fc
  .tuple(fc.boolean(), chunks)
  .map(([isBegun, pieces]) => (isBegun ? [Buffer.from("HTTP/1.1 200 OK\r\n"), ...pieces] : pieces));

it("ends in an answer or a clear error, for any bytes and any disconnect", async () => {
  let pieces: readonly Buffer[] = [];
  let hangsUp = "";
  await using server = await listen((socket) => {
    socket.once("data", () => {
      for (const piece of pieces) socket.write(piece);
      if (hangsUp === "politely") socket.end();
      else if (hangsUp === "rudely") socket.resetAndDestroy();
    });
  });
  await fc.assert(
    fc.asyncProperty(begun, fc.constantFrom("politely", "rudely", "never"), async (some, how) => {
      pieces = some;
      hangsUp = how;
      const answer = await ask(
        `http://127.0.0.1:${server.port}/`,
        { maxBytes: 1000 },
        { limits: { idleMs: 200 } },
      );
      if ("error" in answer) expect(answer.error).toMatch(/^(?:unavailable|timeout|too-large|unsupported): /);
      else expect(answer.body.length).toBeLessThanOrEqual(1000);
    }),
    { numRuns: rounds(60) },
  );
});
