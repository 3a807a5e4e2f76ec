import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A server on this machine that stores objects like S3, and refuses requests whose signature (version 4) is wrong. */
export interface S3StandIn extends AsyncDisposable {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** The status of each answer. */
  readonly statuses: readonly number[];
}

export interface S3Options {
  readonly secret: string;
  /** The first requests get this status. */
  readonly failures?: readonly number[];
}

export async function s3StandIn({ secret, failures = [] }: S3Options): Promise<S3StandIn> {
  const objects = new Map<string, Buffer>();
  const statuses: number[] = [];
  const left = [...failures];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const answer = (status: number, content?: Buffer) => {
      statuses.push(status);
      response.writeHead(status).end(content);
    };
    const failure = left.shift();
    if (failure !== undefined) return answer(failure);
    if (!isSigned(request, body, secret)) return answer(403);
    const key = decodeURIComponent(new URL(request.url!, "http://x").pathname);
    if (request.method === "PUT") {
      objects.set(key, body);
      return answer(200);
    }
    const found = objects.get(key);
    return found ? answer(200, found) : answer(404);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, objects, statuses },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Computes the signature as Amazon documents it, and compares. The hash of the body must be right, too. */
function isSigned({ headers, method, url }: IncomingMessage, body: Buffer, secret: string): boolean {
  const given =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(?<scope>[^,]+), SignedHeaders=(?<names>[^,]+), Signature=(?<signature>\w+)$/.exec(
      headers.authorization ?? "",
    )?.groups;
  if (given === undefined) return false;
  const { scope = "", names = "", signature } = given;
  const hash = headers["x-amz-content-sha256"];
  if (hash !== sha256(body)) return false;
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const { pathname } = new URL(url!, "http://x");
  const canonical = [method, pathname, "", signed.join(""), names, hash].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<Buffer>((from, part) => hmac(from, part), Buffer.from(`AWS4${secret}`));
  return hmac(key, text).toString("hex") === signature;
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
