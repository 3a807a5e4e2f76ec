import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import type { Json } from "./json.ts";
import { KeptPrefix } from "./kept-prefix.ts";
import { wireReply } from "./play-script.ts";
import { type CacheBlock, PrefixCache } from "./prefix-cache.ts";
import { apiKey, type PlainAnswer, type ProviderProtocol } from "./protocol.ts";
import type {
  Fault,
  NeutralRequest,
  ProviderOptions,
  ProviderServer,
  Script,
  ScriptedReply,
  SeenRequest,
} from "./provider-server.ts";
import { breaksOff, refusal, writeReply } from "./write-reply.ts";

/** Serves one protocol. Each request gets the next reply of the script. */
export async function serveProvider(
  protocol: ProviderProtocol,
  script: Script,
  options: ProviderOptions = {},
): Promise<ProviderServer> {
  const { chunks = "events", latencyMs = 0, strict = true, models = protocol.models } = options;
  const requests: Seen[] = [];
  const breaches: string[] = [];
  const prefix = new KeptPrefix();
  const cache = options.caches && protocol.cache ? new PrefixCache(protocol.cache) : undefined;
  let count = 0;

  const server = createServer(async (request, response) => {
    try {
      const text = await textOf(request);
      const address = new URL(request.url!, "http://loopback");
      const body = text === "" ? undefined : JSON.parse(text);
      if (protocol.keyOf(request.headers, address) !== apiKey)
        return answer(response, refusal(protocol, 401, "Incorrect API key provided."));
      const route = protocol.route({ method: request.method!, address, models, body });
      if (route === undefined)
        return answer(response, refusal(protocol, 404, `Nothing is at ${request.url}.`));
      if (route !== "reply") return answer(response, route);
      await reply({ request, response, address, body, size: text.length });
    } catch (error) {
      breaches.push(`The server failed: ${(error as Error).stack}`);
      response.destroy();
    }
  });

  async function reply({ request, response, address, body, size }: Arrived): Promise<void> {
    const model = protocol.modelOf(body, address);
    if (typeof model !== "string" || !models.includes(model))
      return answer(response, refusal(protocol, 404, `The model '${model}' does not exist.`));
    const seen = new Seen(++count, body, request.headers, protocol);
    if (!strict) requests.length = 0;
    requests.push(seen);
    let fault: Fault | undefined;
    response.on("close", () => {
      seen.aborted = !response.writableFinished && !breaksOff(fault);
    });
    const faults = strict
      ? [...protocol.check(body, request.headers, address), ...prefix.check(protocol.conversation(body))]
      : [];
    if (faults.length > 0) {
      breaches.push(...faults.map((fault) => `Request ${seen.number}: ${fault}`));
      return answer(response, refusal(protocol, 400, faults.join(" ")));
    }
    const scripted = await nextOf(script, seen);
    if (scripted === undefined) {
      breaches.push(`Request ${seen.number}: The script was over.`);
      return answer(response, refusal(protocol, 400, "The script was over."));
    }
    fault = scripted.fault;
    if (latencyMs > 0) await after(latencyMs);
    const counted = cache?.count(blocksOf(protocol, body));
    const asked = { number: seen.number, model, idPrefix: protocol.idPrefix, size, counted };
    const wire = wireReply(scripted, asked);
    const refused = fault === undefined ? protocol.refusalOf?.(wire) : undefined;
    if (refused) return answer(response, refused);
    writeReply(response, {
      protocol,
      chunks,
      fault,
      pieces: () => protocol.pieces(wire, body),
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    settings: { providers: { [protocol.provider]: { baseUrl: `${url}${protocol.basePath}`, apiKey } } },
    model: `${protocol.provider}/${models[0]}`,
    requests,
    breaches,
    forget: () => prefix.forget(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function blocksOf({ cache, conversation }: ProviderProtocol, body: Json): readonly CacheBlock[] {
  if (cache?.blocks) return cache.blocks(body);
  const { head, messages } = conversation(body);
  return [head, ...messages].map((text) => ({ text }));
}

interface Arrived {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: URL;
  readonly body: Json;
  readonly size: number;
}

/** Parses a request only when a script needs it. */
class Seen implements SeenRequest {
  readonly number: number;
  readonly body: unknown;
  readonly headers: IncomingMessage["headers"];
  aborted = false;
  readonly #protocol: ProviderProtocol;
  #read: NeutralRequest | undefined;

  constructor(
    number: number,
    body: unknown,
    headers: IncomingMessage["headers"],
    protocol: ProviderProtocol,
  ) {
    this.number = number;
    this.body = body;
    this.headers = headers;
    this.#protocol = protocol;
  }

  get messages(): NeutralRequest["messages"] {
    return this.#neutral.messages;
  }

  get tools(): NeutralRequest["tools"] {
    return this.#neutral.tools;
  }

  get system(): string {
    return this.#neutral.system;
  }

  get reasoning(): NeutralRequest["reasoning"] {
    return this.#neutral.reasoning;
  }

  get #neutral(): NeutralRequest {
    this.#read ??= this.#protocol.read(this.body);
    return this.#read;
  }
}

function nextOf(script: Script, seen: SeenRequest): ScriptedReply | undefined | Promise<ScriptedReply> {
  return typeof script === "function" ? script(seen) : script[seen.number - 1];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answer(response: ServerResponse, { status, body }: PlainAnswer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
