import type { Backend, BackendEntry, BackendExecOptions, BackendExit, BackendRange } from "toolcrib";

/** A service that runs sandboxes, such as E2B, reached over HTTP. */
export interface SandboxService {
  readonly url: string;
  readonly token: string;
  /** The id of a running sandbox. */
  readonly sandbox: string;
  /** The folder of the project in the sandbox. */
  readonly workspace: string;
}

/** The workspace is in a sandbox of a service. */
export class ServiceBackend implements Backend {
  readonly name: string;
  readonly workspace: string;
  readonly #service: SandboxService;

  constructor(service: SandboxService) {
    this.#service = service;
    this.name = `service:${service.sandbox}`;
    this.workspace = service.workspace;
  }

  async stat(path: string): Promise<BackendEntry | undefined> {
    return (await this.#json("stat", { path })) ?? undefined;
  }

  async list(path: string): Promise<readonly BackendEntry[]> {
    return this.#json("list", { path });
  }

  async readFile(path: string, range?: BackendRange): Promise<Uint8Array> {
    const response = await this.#post("read", { path, range });
    return new Uint8Array(await response.arrayBuffer());
  }

  async writeFile(path: string, content: Uint8Array, { mode }: { readonly mode: number }): Promise<void> {
    await this.#post("write", { path, mode }, content);
  }

  async makeDirectory(path: string, { mode }: { readonly mode: number }): Promise<void> {
    await this.#post("makeDirectory", { path, mode });
  }

  async remove(path: string): Promise<void> {
    await this.#post("remove", { path });
  }

  async move(from: string, to: string): Promise<void> {
    await this.#post("move", { path: from, to });
  }

  async setMode(path: string, mode: number): Promise<void> {
    await this.#post("setMode", { path, mode });
  }

  async makeLink(path: string, target: string): Promise<void> {
    await this.#post("makeLink", { path, target });
  }

  /** The service answers with one event per line, and ends the command when the connection closes. */
  async exec(command: string, options: BackendExecOptions): Promise<BackendExit> {
    const { cwd, env, input = new Uint8Array(), onOutput, signal } = options;
    const response = await this.#post("exec", { command, cwd, env }, input, signal);
    for await (const line of linesOf(response)) {
      const event: ServiceEvent = JSON.parse(line);
      if ("stream" in event) await onOutput(Buffer.from(event.base64, "base64"), event.stream);
      else return { code: event.code ?? undefined };
    }
    throw new Error("The service closed the connection before the command ended");
  }

  async #json<Result>(method: string, parameters: object): Promise<Result> {
    return (await this.#post(method, parameters)).json() as Promise<Result>;
  }

  async #post(
    method: string,
    parameters: object,
    body: Uint8Array = new Uint8Array(),
    signal?: AbortSignal,
  ): Promise<Response> {
    const { url, token, sandbox } = this.#service;
    const query = new URLSearchParams({ parameters: JSON.stringify(parameters) });
    const response = await fetch(`${url}/sandboxes/${sandbox}/${method}?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: Buffer.from(body),
      signal: signal ?? AbortSignal.timeout(60_000),
    });
    if (response.ok) return response;
    const { code, message } = (await response.json()) as { code?: string; message: string };
    throw Object.assign(new Error(message), code && { code });
  }
}

export type ServiceEvent =
  | { readonly stream: "stdout" | "stderr"; readonly base64: string }
  | { readonly code: number | null };

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
