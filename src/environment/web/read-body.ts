import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { ToolError } from "../../contract/error.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";

/** Returns the decompressed body, at most `maxBytes` regardless of its declared size. */
export async function readBody(
  response: IncomingMessage,
  { maxBytes, progress }: WebRequest,
): Promise<Pick<WebAnswer, "body" | "isCut">> {
  const meter = { bytes: 0, isCut: false };
  const declared = Number(response.headers["content-length"]);
  const total = Number.isSafeInteger(declared) ? declared : undefined;
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
    // An empty body, or one that was cut here, may be incomplete.
    if (meter.bytes > 0 && !meter.isCut)
      throw new ToolError("unavailable", `The response is damaged: it is not valid ${coding}`, {
        hint: "Try again later.",
        cause: error,
      });
  }
  const body = Buffer.concat(chunks);
  return { body: body.subarray(0, maxBytes), isCut: meter.isCut || length > maxBytes };
}

/** Limits the compressed bytes, because even very many may decompress to nothing. */
async function* metered(
  response: IncomingMessage,
  maxBytes: number,
  meter: { bytes: number; isCut: boolean },
  onRead: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    meter.bytes += chunk.length;
    onRead();
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
  if (coding === "identity") return coming;
  const first = await coming.next();
  if (first.done) return coming;
  const decoder = await decoderFor(coding, first.value);
  const all = (async function* () {
    yield first.value;
    yield* coming;
  })();
  return pipeline(all, decoder, () => {}) as Readable;
}

async function decoderFor(coding: string, first: Uint8Array): Promise<Transform> {
  const zlib = await import("node:zlib");
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip();
    case "deflate":
      // Some servers omit the header that the standard requires, whose method is always 8.
      return (first[0]! & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    case "br":
      return zlib.createBrotliDecompress();
    case "zstd":
      return zlib.createZstdDecompress();
    default:
      throw new ToolError(
        "unsupported",
        `The response uses a compression that was not requested: ${coding}`,
        {
          hint: "Try another address of the same content.",
        },
      );
  }
}

/** Returns the compression of an answer. Several codings are an unknown one: only decompression bombs use them. */
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
