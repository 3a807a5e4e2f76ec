import { spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { acceptPipes } from "./direct-pipes.ts";

// A process with this id may be another one than `attach`: in another process namespace, or after `attach` has ended.
it.skipIf(process.platform !== "linux")(
  "acceptPipes opens the pipes that were offered, and none of another process with the same id",
  async () => {
    // node gives its children sockets, and a shell gives them pipes. The subshell is redirected, not the process itself.
    const script = "cat | sh -c '(echo $$ >&2); exec cat' | cat";
    const other = spawn("sh", ["-c", script], { stdio: "pipe" });
    const pid = Number(`${(await once(other.stderr, "data"))[0]}`);
    const [input = 0, output = 0] = [0, 1].map((fd) => inodeOf(pid, fd));
    expect(await answerTo(`${pid} ${input} ${output}`)).toBe("d");
    expect(await answerTo(`${pid} ${input + 1} ${output}`)).toBe("c");
    expect(await answerTo(`${pid} ${input} ${output + 1}`)).toBe("c");
    expect(await answerTo(`${pid}`)).toBe("c");
    // Nothing has read its input or written to its output.
    other.stdin.end("own\n");
    expect(`${(await once(other.stdout, "data"))[0]}`).toBe("own\n");
  },
);

function inodeOf(pid: number, fd: number): number {
  return Number(/\d+/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[0]);
}

async function answerTo(offer: string): Promise<string> {
  await using folder = temporaryFolder();
  const path = join(folder.path, "socket");
  const accepted = Promise.withResolvers<Awaited<ReturnType<typeof acceptPipes>>>();
  const server = createServer((socket: Socket) => accepted.resolve(acceptPipes(socket))).listen(path);
  await once(server, "listening");
  const socket = connect(path);
  socket.write(`${offer}\n`);
  const [answer] = await once(socket, "data");
  (await accepted.promise)?.destroy();
  socket.destroy();
  server.close();
  return `${answer}`;
}
