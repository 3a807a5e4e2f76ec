import { closeSync, openSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ToolError } from "../contract/error.ts";
import type { AttachAnswer, AttachRequest } from "../environment/remote/attach-protocol.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { attempt } from "../system/attempt.ts";
import { makePrivateDirectory } from "../system/directories.ts";
import { isOnPath } from "../system/is-on-path.ts";
import { connectForBytes } from "../system/private-socket.ts";
import { type ChildProcess, startProgram } from "../system/start-program.ts";
import { offerPipes } from "./direct-pipes.ts";
import { cleanHere, leftHere, removeDeadSessions, stopHere } from "./left-here.ts";
import { loginPath } from "./login-path.ts";
import type { ServerOptions } from "./server.ts";
import {
  errorLogName,
  hashOf,
  sessionFolder,
  socketName,
  storedFile,
  storeFile,
  targetFolder,
} from "./target-folder.ts";

// The program that a client runs on the target, on its standard input and output. It answers one request; for a session, it
// then passes these to the server of the session. bootstrap.sh defines `toolcrib`: the first bytes after this program, the
// marker and the folder.

declare const toolcrib: { readonly rest: Buffer; readonly marker: string; readonly folder: string };

type SessionRequest = Extract<AttachRequest, { kind: "session" }>;

async function main(): Promise<void> {
  const input = new InputReader(toolcrib.rest, leave);
  try {
    const request = tryParseJson(await input.line()) as AttachRequest;
    const folder = targetFolder(toolcrib.folder);
    if (request.kind === "session") await openSession(folder, request, input);
    else {
      if (request.kind === "stop") await stopHere(folder, request);
      if (request.kind === "clean") cleanHere(folder);
      await answer({ kind: "left", left: leftHere(folder) });
      process.exit();
    }
  } catch (error) {
    const code = error instanceof ToolError ? error.code : "unavailable";
    await answer({ kind: "failed", code, message: (error as Error).message });
    process.exit(1);
  }
}

/** A server that does not listen yet. */
let starting: ChildProcess | undefined;

/** Ends this program and a server that does not listen yet. The client is gone, or nothing answers in time. */
function leave(): void {
  starting?.kill("SIGKILL");
  process.exit(1);
}

/** Ends this program some time after the last byte of the client, which usually has given up before. */
const late = setTimeout(leave, 5 * 60_000);

async function openSession(folder: string, request: SessionRequest, input: InputReader): Promise<void> {
  if (!/^[\da-f]{32}$/.test(request.session)) throw new ToolError("invalid-input", "Bad session id");
  const here = sessionFolder(folder, request.session);
  const running = await connectTo(here);
  if (running === undefined && !request.mayStart) {
    await answer({ kind: "gone" });
    process.exit();
  }
  const socket = running ?? (await startServer(folder, request, input));
  socket.on("error", () => process.exit()).on("close", () => process.exit());
  // From now on the server may read standard input. The client sends nothing before it gets the answer.
  input.stop();
  const isDirect = await offerPipes(socket);
  clearTimeout(late);
  leaveWithParent();
  await answer({ kind: "ready" });
  if (isDirect) return void socket.resume();
  process.stdin.on("error", () => process.exit()).pipe(socket);
  socket.pipe(process.stdout).on("error", () => process.exit());
}

/**
 * Ends this program some time after the one that has started it, which is the end of the connection. Usually the server
 * closes the socket before; a server that hangs does not.
 */
function leaveWithParent(): void {
  const look = () => {
    if (process.ppid !== parent) setTimeout(() => process.exit(), lookMs);
  };
  setInterval(look, lookMs).unref();
}

const parent = process.ppid;
const lookMs = 2000;

async function startServer(folder: string, request: SessionRequest, input: InputReader): Promise<Socket> {
  removeDeadSessions(folder);
  const { server, ripgrep, directory, session, client, sandbox, idle, isLab } = request;
  const program = join(folder, "servers", `${server.sha256}.cjs`);
  const search = ripgrep && join(folder, "ripgrep", ripgrep.sha256);
  const wantsSearch = ripgrep?.platform === `${process.platform}-${process.arch}` && !isOnPath("rg");
  const files: ("server" | "ripgrep")[] = [];
  let code = storedFile(program, server.sha256);
  if (code === undefined) files.push("server");
  if (wantsSearch && storedFile(search!, ripgrep.sha256) === undefined) files.push("ripgrep");
  if (files.length > 0) {
    await answer({ kind: "needs", files });
    const { sizes } = tryParseJson(await input.line()) as { sizes: readonly number[] };
    for (const [index, file] of files.entries()) {
      const content = gunzipSync(await input.bytes(sizes[index]!), { maxOutputLength: maxFileBytes });
      const [path, hash, mode] =
        file === "server" ? [program, server.sha256, 0o600] : [search!, ripgrep!.sha256, 0o700];
      if (hashOf(content) !== hash) throw new ToolError("unavailable", `The ${file} arrived damaged`);
      storeFile(path, content, mode);
      if (file === "server") code = content;
    }
    await answer({ kind: "received" });
  }
  const here = sessionFolder(folder, session);
  const options: ServerOptions = {
    ...{ session, client, sandbox, idle, folder, isLab },
    directory: directory ?? process.cwd(),
    ripgrep: wantsSearch ? search : undefined,
  };
  await startDaemon({ path: program, code: code! }, here, options);
  const socket = await connectTo(here);
  if (socket === undefined) throw new ToolError("unavailable", "The server ended at once");
  return socket;
}

const maxFileBytes = 64 * 1024 * 1024;

/**
 * Starts the server of a session, which outlives this program, and waits until it listens. It gets the code that was
 * checked on its standard input, because the file may have changed since.
 */
async function startDaemon(
  { path, code }: { readonly path: string; readonly code: Buffer },
  here: string,
  options: ServerOptions,
): Promise<void> {
  makePrivateDirectory(here);
  const log = join(here, errorLogName);
  const errors = openSync(log, "a", 0o600);
  const env = { ...process.env, PATH: await loginPath(process.env) };
  const child = startProgram(
    process.execPath,
    ["--input-type=commonjs", "-", path, JSON.stringify(options)],
    {
      ...{ cwd: "/", env, detached: true, stdio: ["pipe", "pipe", errors] },
    },
  );
  starting = child;
  child.stdin!.on("error", () => {}).end(code);
  closeSync(errors);
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.endsWith("\n")) resolve();
  });
  child.on("error", reject).on("exit", () => resolve());
  await promise;
  starting = undefined;
  child.stdout!.destroy();
  child.unref();
  const first = tryParseJson(said) as AttachAnswer | undefined;
  if (first?.kind === "ready") return;
  if (first?.kind === "failed") throw new ToolError(first.code, first.message);
  const text = attempt(() => readFileSync(log, "utf8")) ?? "";
  throw new ToolError("unavailable", `The server did not start: ${text.slice(-2000)}`);
}

/** Connects to the server of a session; undefined when none listens. */
async function connectTo(here: string): Promise<Socket | undefined> {
  const socket = attempt(() => connectForBytes(here, socketName));
  if (socket === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  socket.once("connect", () => resolve(socket)).once("error", () => resolve(undefined));
  return promise;
}

function answer(message: AttachAnswer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdout.write(`\n${toolcrib.marker} ${JSON.stringify(message)}\n`, () => resolve());
  return promise;
}

/** Reads lines and bytes from standard input, which then carries the frames. */
class InputReader {
  #bytes: Buffer;
  readonly #onEnd: () => void;
  #wake = () => {};
  readonly #onData = (chunk: Buffer) => {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    late.refresh();
    this.#wake();
  };

  /** `onEnd` is called when the input ends while it is read. */
  constructor(bytes: Buffer, onEnd: () => void) {
    this.#bytes = bytes;
    this.#onEnd = onEnd;
    process.stdin.on("data", this.#onData).once("end", onEnd);
    process.stdin.resume();
  }

  async line(): Promise<string> {
    let end = this.#bytes.indexOf(10);
    for (; end < 0; end = this.#bytes.indexOf(10)) await this.#more();
    const line = this.#bytes.toString("utf8", 0, end);
    this.#bytes = this.#bytes.subarray(end + 1);
    return line;
  }

  async bytes(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) await this.#more();
    const bytes = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return bytes;
  }

  stop(): void {
    process.stdin.off("data", this.#onData).off("end", this.#onEnd).pause();
  }

  async #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }
}

void main();
