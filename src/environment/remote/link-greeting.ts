import { count, object, oneOf, type Shape, type Shaped, text } from "./shapes.ts";

// The first frames of a connection. They name no version: the server runs the program that its client has chosen by a hash.

/** The first frame of a client on every connection. */
const hello = object({
  session: text,
  /** Only the client that created the session knows it. */
  secret: text,
  /** The number of the last message that the client received. */
  received: count,
});

export type Hello = Shaped<typeof hello>;

const welcome = object({ received: count });

/** Why a session cannot be continued, so that another attempt is useless. */
export type Refusal =
  /** The server of the session no longer runs. */
  | "gone"
  /** It is the session of another client. */
  | "session"
  /** The other side speaks another protocol. */
  | "protocol";

const refused = object({ reason: oneOf<Refusal>("gone", "session", "protocol") });

/** Parses the greeting of a client; undefined when it is not one. */
export function parseHello(body: Buffer): Hello | undefined {
  return parsed(body, hello);
}

/** Parses the answer of a server; undefined when it is not a welcome. */
export function parseWelcome(body: Buffer): { readonly received: number } | undefined {
  return parsed(body, welcome);
}

export function parseRefusal(body: Buffer): Refusal {
  return parsed(body, refused)?.reason ?? "protocol";
}

function parsed<Value>(body: Buffer, shape: Shape<Value>): Value | undefined {
  try {
    return shape(JSON.parse(body.toString()), "greeting");
  } catch {
    return undefined;
  }
}
