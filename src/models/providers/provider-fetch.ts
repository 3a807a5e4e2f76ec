import { ModelError } from "../model-error.ts";

/**
 * The `fetch` for all providers. Refuses redirects, which would send the key and the conversation to a server that the
 * user has not named. Limits the decoded size of a reply, because an endless one would exhaust memory.
 */
export async function providerFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const from = new URL(input instanceof Request ? input.url : input);
  const to = response.headers.get("location");
  if (response.status >= 300 && response.status < 400 && to !== null) {
    await response.body?.cancel();
    // The message names only the part of the address that holds no secret.
    const { origin, pathname } = URL.parse(to, from.href) ?? { origin: "an invalid address", pathname: "" };
    const target = `${origin}${pathname}`.slice(0, 200);
    throw new ModelError("bad-request", `${from.host} redirects to ${target}; redirects are not followed.`, {
      hint: "If you trust that address, set it as the base URL of the provider.",
      status: response.status,
    });
  }
  if (response.body === null) return response;
  const body = response.body.pipeThrough(response.ok ? bounded(from.host) : shortened());
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/**
 * Lets Node load the code of `fetch` soon, without delaying the caller. It takes 20 ms, in which a new session usually
 * waits for git.
 */
export function loadFetchSoon(): void {
  setTimeout(() => void globalThis.Headers).unref();
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
      const lastBreak = chunk.lastIndexOf("\n".charCodeAt(0));
      line = lastBreak === -1 ? line + chunk.length : chunk.length - lastBreak;
      if (total > maxReplyBytes || line > maxLineBytes)
        throw new ModelError("bad-request", `The reply of ${host} is too long.`, {
          hint: "Check the base URL of the provider.",
        });
      controller.enqueue(chunk);
    },
  });
}

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
