import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { type SshServer, sshMissing, sshServer } from "../test/support/remote/ssh-server.ts";

/** Starts a real ssh server for this process, in which `ssh test-host` reaches it. */
export function startSsh(): SshServer {
  if (sshMissing !== undefined) throw new Error(sshMissing);
  const server = sshServer();
  process.env.PATH = server.env.PATH;
  return server;
}

/** A shell on the other side of an ssh connection that stays open, so that peers use the same link. */
export class SshShell {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #output: AsyncIterator<Buffer>;

  constructor() {
    this.#child = spawn("ssh", ["test-host", "sh"], { stdio: ["pipe", "pipe", "ignore"] });
    this.#output = this.#child.stdout[Symbol.asyncIterator]();
  }

  /** Runs a command and returns its output. */
  async run(command: string): Promise<Buffer> {
    this.#child.stdin.write(`${command}\nprintf '\\n%s%s' ${endMark[0]} ${endMark[1]}\n`);
    return this.#readTo(Buffer.from(`\n${endMark.join("")}`));
  }

  /** Makes the shell return everything that `echo` sends. */
  async startEcho(): Promise<void> {
    await this.run("true");
    this.#child.stdin.write("exec cat\n");
  }

  async echo(line: string): Promise<number> {
    this.#child.stdin.write(`${line}\n`);
    return (await this.#readTo(Buffer.from("\n"))).length;
  }

  async close(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.stdin.end();
    await exit;
  }

  async #readTo(end: Buffer): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let tail = Buffer.alloc(0);
    while (!tail.subarray(-end.length).equals(end)) {
      const { value, done } = await this.#output.next();
      if (done) throw new Error("The ssh connection ended");
      chunks.push(value);
      tail = Buffer.concat([tail.subarray(-end.length), value]);
    }
    const whole = Buffer.concat(chunks);
    return whole.subarray(0, whole.length - end.length);
  }
}

/** In two parts, so that an echo of the command is not taken for its end. */
const endMark = ["end-of-", "output"] as const;
