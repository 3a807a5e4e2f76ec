import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { badCompression, otherCompression } from "./web-errors.ts";

/** The body without its compression, up to `maxBytes` of what that holds, not of what it says to hold. */
export async function readBody(
  response: IncomingMessage,
  { maxBytes, progress }: WebRequest,
): Promise<Pick<WebAnswer, "body" | "isCut">> {
  const meter = { bytes: 0, isCut: false };
  const said = Number(response.headers["content-length"]);
  const total = Number.isSafeInteger(said) ? said : undefined;
  const coming = metered(response, maxBytes, meter, () => progress?.(meter.bytes, total));
  const coding = codingOf(response);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of await decoded(coming, coding)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) break;
    }
  } catch (error) {
    if (!isOfCompression(error)) throw error;
    // Nothing was compressed; or only what was read of it ends here.
    if (meter.bytes > 0 && !meter.isCut) throw badCompression(coding, error);
  }
  const body = Buffer.concat(chunks);
  return { body: body.subarray(0, maxBytes), isCut: meter.isCut || length > maxBytes };
}

/** Also of what is compressed no more is read: it may hold nothing at all. */
async function* metered(
  response: IncomingMessage,
  maxBytes: number,
  meter: { bytes: number; isCut: boolean },
  heard: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    meter.bytes += chunk.length;
    heard();
    if (meter.bytes > maxBytes) {
      meter.isCut = true;
      yield chunk.subarray(0, chunk.length - (meter.bytes - maxBytes));
      return;
    }
    yield chunk;
  }
}

async function decoded(
  coming: AsyncGenerator<Uint8Array>,
  coding: string,
): Promise<AsyncIterable<Uint8Array>> {
  const first = await coming.next();
  if (first.done) return coming;
  const rest = joined(first.value, coming);
  if (coding === "identity") return rest;
  const decoder = await decoderFor(coding, first.value);
  return pipeline(rest, decoder, () => {}) as Readable;
}

async function* joined(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function decoderFor(coding: string, first: Uint8Array): Promise<Transform> {
  const zlib = await import("node:zlib");
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip();
    case "deflate":
      // As the standard says, or as some servers do it: without the header, whose method is always 8.
      return (first[0]! & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    case "br":
      return zlib.createBrotliDecompress();
    case "zstd":
      return zlib.createZstdDecompress();
    default:
      throw otherCompression(coding);
  }
}

/** One at most: several are as good as never used, but by bombs. */
function codingOf({ headers, statusCode }: IncomingMessage): string {
  if (statusCode === 204 || statusCode === 304) return "identity";
  const codings = (headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  return codings.length === 0 ? "identity" : codings.join(", ");
}

function isOfCompression(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(?:Z_|ZSTD_|ERR__ERROR_|ERR_BROTLI_)/.test(code);
}
