import { closeSync, constants, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import type { ByteStream } from "../environment/remote/frames.ts";
import { attempt } from "../system/attempt.ts";

// How the server gets the connection of a client. Its bytes come to the standard input of `attach`. On Linux, when input and
// output are pipes, as those of ssh, docker and podman are, the server opens them itself, which saves a tenth of a millisecond
// per round trip. Otherwise `attach` copies the bytes. In both cases the connection ends with the socket between the two.

/** Attach: offers its pipes to the server. Returns whether the server reads and writes them itself. */
export async function offerPipes(socket: Socket): Promise<boolean> {
  socket.write(`${process.pid}\n`);
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
  const direct = openPipes(Number.parseInt(offer.toString(), 10));
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

function openPipes(pid: number): { readonly readable: Socket; readonly writable: Socket } | undefined {
  const [input, output] = [`/proc/${pid}/fd/0`, `/proc/${pid}/fd/1`];
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  return attempt(() => {
    if (![input, output].every((path) => statSync(path).isFIFO())) return undefined;
    const read = openSync(input, O_RDONLY | O_NONBLOCK);
    const write = attempt(() => openSync(output, O_WRONLY | O_NONBLOCK));
    if (write === undefined) {
      closeSync(read);
      return undefined;
    }
    return {
      readable: new Socket({ fd: read, readable: true, writable: false }),
      writable: new Socket({ fd: write, readable: false, writable: true }),
    };
  });
}
