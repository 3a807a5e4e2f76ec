import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { Socket } from "node:net";
import type { ByteStream } from "../environment/remote/frames.ts";
import { attemptQuietly } from "../system/attempt.ts";

// How the server gets the connection of a client. Its bytes come to the standard input of `attach`. On Linux, when input and
// output are pipes, as those of ssh, docker and podman are, the server opens them itself, which saves a tenth of a millisecond
// per round trip. Otherwise `attach` copies the bytes. In both cases the connection ends with the socket between the two.

/** Attach: offers its pipes to the server. Returns whether the server reads and writes them itself. */
export async function offerPipes(socket: Socket): Promise<boolean> {
  const [input, output] = [0, 1].map((fd) => attemptQuietly(() => fstatSync(fd).ino));
  socket.write(`${process.pid} ${input} ${output}\n`);
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
  socket.once("data", resolve).once("close", () => resolve(undefined));
  const answer = await promise;
  socket.pause();
  return answer?.toString() === answers.direct;
}

/** Server: takes the connection that `attach` offers on a socket. Undefined when the socket is closed before. */
export async function acceptPipes(socket: Socket): Promise<ByteStream | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
  socket.on("error", () => socket.destroy());
  socket.once("data", resolve).once("close", () => resolve(undefined));
  const offer = await promise;
  if (offer === undefined) return undefined;
  // The client sends nothing before it is told that the session is ready.
  socket.pause();
  const direct = openPipes(offer.toString());
  socket.write(direct === undefined ? answers.copied : answers.direct);
  if (direct === undefined) return { readable: socket, writable: socket, destroy: () => socket.destroy() };
  const { readable, writable } = direct;
  const destroy = () => {
    for (const one of [readable, writable, socket]) one.destroy();
  };
  // A process that was killed closes it, too.
  socket.resume().once("close", destroy);
  return { readable, writable, destroy };
}

const answers = { direct: "d", copied: "c" } as const;

function openPipes(offer: string): { readonly readable: Socket; readonly writable: Socket } | undefined {
  const [pid = 0, input = 0, output = 0] = offer.split(" ").map(Number);
  const { O_RDONLY, O_WRONLY } = constants;
  const read = openPipe(`/proc/${pid}/fd/0`, input, O_RDONLY);
  if (read === undefined) return undefined;
  const write = openPipe(`/proc/${pid}/fd/1`, output, O_WRONLY);
  if (write === undefined) {
    closeSync(read);
    return undefined;
  }
  return {
    readable: new Socket({ fd: read, readable: true, writable: false }),
    writable: new Socket({ fd: write, readable: false, writable: true }),
  };
}

/**
 * Opens a pipe if it has this inode. Another process may have the same id: when `attach` is in another namespace, or has just
 * ended. Its input must not be read, and nothing must be written to its output.
 */
function openPipe(path: string, inode: number, flags: number): number | undefined {
  const isOffered = (stats: Stats) => stats.isFIFO() && stats.ino === inode;
  // A server without free descriptors lets `attach` copy the bytes.
  return attemptQuietly(() => {
    if (!isOffered(statSync(path))) return undefined;
    const opened = openSync(path, flags | constants.O_NONBLOCK);
    if (isOffered(fstatSync(opened))) return opened;
    closeSync(opened);
    return undefined;
  });
}
