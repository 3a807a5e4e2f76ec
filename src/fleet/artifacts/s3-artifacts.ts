import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { ToolError } from "../../contract/error.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import type { ArtifactStore } from "./artifact-store.ts";

/** Artifacts in a store that speaks S3: Amazon, or the server at AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL. */
export class S3Artifacts implements ArtifactStore {
  readonly #client: AwsClient;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #base: string;
  readonly #mostBytes: number;

  constructor(location: string, variables: NodeJS.ProcessEnv, mostBytes: number = mostArtifactBytes) {
    const { bucket, prefix } = parseAddress(location);
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
    if (!accessKeyId || !secretAccessKey)
      throw new ToolError("invalid-input", `No credentials for ${location} are set.`, {
        hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of the worker.",
      });
    const region = variables.AWS_REGION || variables.AWS_DEFAULT_REGION || "us-east-1";
    const sessionToken = variables.AWS_SESSION_TOKEN || undefined;
    // Our own retries read the file again; those of the client cannot.
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      sessionToken,
      region,
      service: "s3",
      retries: 0,
    });
    const endpoint = variables.AWS_ENDPOINT_URL_S3 || variables.AWS_ENDPOINT_URL;
    this.#mostBytes = mostBytes;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#base = endpoint
      ? `${endpoint.replace(/\/+$/, "")}/${bucket}`
      : `https://${bucket}.s3.${region}.amazonaws.com`;
  }

  async put(key: string, folder: string, names: readonly string[]): Promise<string> {
    const full = this.#prefix === "" ? key : `${this.#prefix}/${key}`;
    for (const name of names) {
      const body = await readFile(join(folder, name));
      const answer = await this.#send("PUT", `${full}/${name}`, body);
      await answer.body?.cancel();
    }
    return `s3://${this.#bucket}/${full}`;
  }

  /** Reads an artifact by the address that `put` returned. */
  async read(address: string, name: string): Promise<Buffer> {
    const { bucket, prefix } = parseAddress(address);
    if (bucket !== this.#bucket)
      throw new ToolError("not-found", `${address} is in another bucket than ${this.#bucket}.`);
    const answer = await this.#send("GET", `${prefix}/${name}`);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of answer.body ?? []) {
      bytes += piece.length;
      if (bytes > this.#mostBytes)
        throw new ToolError("too-large", `${address}/${name} has more than ${this.#mostBytes} bytes.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  async #send(method: "PUT" | "GET", key: string, body?: Buffer): Promise<Response> {
    const url = `${this.#base}/${key.split("/").map(encodeURIComponent).join("/")}`;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(method, url, body).catch((error: Error) => error);
      if (!(answer instanceof Error) && answer.ok) return answer;
      const isPassing = answer instanceof Error || answer.status >= 500 || answer.status === 429;
      const problem = answer instanceof Error ? answer.message : `status ${answer.status}`;
      if (!isPassing || attempt === mostAttempts)
        throw new ToolError("unavailable", `The artifact ${key} could not be stored or read: ${problem}.`, {
          hint: "Check the bucket, its region, and the credentials of the worker.",
        });
      await setTimeout(firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  #attempt(method: "PUT" | "GET", url: string, body: Buffer | undefined): Promise<Response> {
    const signal = AbortSignal.timeout(attemptMs);
    // A redirect would send the token of the session to another server.
    const redirect = "manual";
    const headers = { "x-amz-content-sha256": contentHash(body ?? "") };
    return this.#client.fetch(url, {
      method,
      signal,
      redirect,
      headers,
      ...(body && { body: new Uint8Array(body) }),
    });
  }
}

/** The largest artifact that is read back. */
const mostArtifactBytes = 256 * 1024 * 1024;
const mostAttempts = 5;
const firstWaitMs = 200;
const attemptMs = 120_000;

function parseAddress(address: string): { readonly bucket: string; readonly prefix: string } {
  const found = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]+)(?:\/(?<prefix>.*?))?\/*$/i.exec(address)?.groups;
  if (found?.bucket === undefined)
    throw new ToolError("invalid-input", `${address} is not the address of a bucket.`, {
      hint: "Use s3://bucket/prefix.",
    });
  return { bucket: found.bucket, prefix: found.prefix ?? "" };
}
