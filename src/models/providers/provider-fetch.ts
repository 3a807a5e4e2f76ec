import { ModelError } from "../model-error.ts";

/**
 * The `fetch` for all providers. Refuses redirects, which would send the key and the conversation to a server that the user
 * has not named. Bounds the decoded size of a reply, because an endless one would exhaust memory.
 */
export async function providerFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const from = new URL(input instanceof Request ? input.url : input);
  const to = response.headers.get("location");
  if (response.status >= 300 && response.status < 400 && to !== null) {
    await response.body?.cancel();
    throw new ModelError("bad-request", `${from.host} sends us on to ${placeOf(to, from)}`, {
      hint: "Nothing was sent there. If that is right, make it the base URL of the provider.",
      status: response.status,
    });
  }
  if (response.body === null) return response;
  const body = response.body.pipeThrough(response.ok ? bounded(from.host) : shortened());
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** The part of an address that is not secret. */
function placeOf(to: string, from: URL): string {
  const { origin, pathname } = URL.parse(to, from.href) ?? {
    origin: "an address",
    pathname: " that is none",
  };
  return `${origin}${pathname}`.slice(0, 200);
}

/** The longest reply of a model is about 30 MB of events, and one event holds at most all its text. */
const maxReplyBytes = 256 * 1024 ** 2;
const maxLineBytes = 16 * 1024 ** 2;

function bounded(host: string): TransformStream<Uint8Array, Uint8Array> {
  let total = 0;
  let line = 0;
  return new TransformStream({
    transform(chunk, controller) {
      total += chunk.length;
      const lastBreak = chunk.lastIndexOf(lineFeed);
      line = lastBreak === -1 ? line + chunk.length : chunk.length - lastBreak;
      if (total > maxReplyBytes || line > maxLineBytes)
        throw new ModelError("bad-request", `${host} sends more than a reply can be`, {
          hint: "It was given up. Is the base URL of the provider right?",
        });
      controller.enqueue(chunk);
    },
  });
}

const lineFeed = 10;

/** Reads only the beginning of an error response. */
function shortened(): TransformStream<Uint8Array, Uint8Array> {
  let left = maxErrorBytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

const maxErrorBytes = 256 * 1024;
