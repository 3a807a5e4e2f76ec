import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { cookieIn, type Gate, isSame, newSecret, type Refusal } from "./gate.ts";

/** A device was let in, or too many wrong codes were tried. */
export type PairingEvent = { readonly type: "paired" | "closed"; readonly address: string };

/**
 * Lets another device in, over TLS. Everyone on its network can connect, so a device gets nothing but a form for a code
 * that the user reads in the terminal and types there. A code lives for some minutes, counts once, and bears few wrong
 * tries. Then the device gets a cookie and an address of the console, and the gate decides as for this machine.
 */
export class Pairing {
  readonly #gate: Gate;
  readonly #now: () => number;
  readonly #onEvent: (event: PairingEvent) => void;
  // The prefix makes browsers refuse the cookie of a server without TLS.
  readonly #cookie = { name: `__Host-toolcrib_${randomBytes(6).toString("hex")}`, value: newSecret() };
  #code: { readonly text: string; readonly expiresAt: number } | undefined;
  #tries = 0;
  #triedAt = 0;

  constructor(
    gate: Gate,
    { now = Date.now, onEvent }: { now?: (() => number) | undefined; onEvent: (event: PairingEvent) => void },
  ) {
    this.#gate = gate;
    this.#now = now;
    this.#onEvent = onEvent;
  }

  /** Returns a code for one device: "ABCD-EFGH". It replaces the code before. */
  newCode(): string {
    const text = [...randomBytes(8)].map((byte) => letters[byte & 31]).join("");
    this.#code = { text, expiresAt: this.#now() + lifetimeMs };
    this.#tries = 0;
    return `${text.slice(0, 4)}-${text.slice(4)}`;
  }

  /** Answers a request of a device that has not been let in. Returns "paired" for any other device. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<"paired" | "answered" | Refusal> {
    const refused = this.#gate.checkSource(request);
    if (refused !== undefined) return refused;
    const { method, url, headers } = request;
    if (isSame(cookieIn(headers.cookie, this.#cookie.name), this.#cookie.value)) return "paired";
    if (method === "GET" && url === "/") show(response, 200, this.#isOpen ? askForCode : closed);
    else if (method === "POST" && url === "/pair") await this.#take(request, response);
    else return notPaired;
    return "answered";
  }

  get #isOpen(): boolean {
    return this.#code !== undefined && this.#now() <= this.#code.expiresAt;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = await readCode(request);
    if (given === undefined) return show(response, 400, askForCode);
    if (!this.#isOpen) return show(response, 403, closed);
    // Requests at the same time are one try after the other.
    if (this.#now() - this.#triedAt < pauseMs) return show(response, 429, tooSoon);
    this.#triedAt = this.#now();
    const address = request.socket.remoteAddress ?? "";
    if (isSame(given, this.#code!.text)) {
      this.#code = undefined;
      this.#onEvent({ type: "paired", address });
      return this.#letIn(response);
    }
    this.#tries += 1;
    if (this.#tries < maxTries) return show(response, 401, wrongCode);
    this.#code = undefined;
    this.#onEvent({ type: "closed", address });
    show(response, 403, closed);
  }

  #letIn(response: ServerResponse): void {
    const { name, value } = this.#cookie;
    response.setHeader("set-cookie", `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict`);
    response.writeHead(303, { location: `/#code=${this.#gate.newCode()}` }).end();
  }
}

const lifetimeMs = 5 * 60 * 1000;
const maxTries = 5;
const pauseMs = 1000;
const maxFormBytes = 200;

/** Without letters that look alike. */
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Returns the code of a form; undefined when the request is not one. */
async function readCode(request: IncomingMessage): Promise<string | undefined> {
  if (request.headers["content-type"] !== "application/x-www-form-urlencoded") return undefined;
  let text = "";
  for await (const piece of request) {
    text += String(piece);
    if (text.length > maxFormBytes) return undefined;
  }
  return new URLSearchParams(text).get("code")?.toUpperCase().replace(/[\s-]/g, "");
}

interface Form {
  readonly message: string;
  readonly hasField: boolean;
}

const askForCode: Form = {
  message: "Type the code that the terminal of <code>toolcrib console --pair</code> shows.",
  hasField: true,
};
const wrongCode: Form = { message: "This code is wrong. Type it again.", hasField: true };
const tooSoon: Form = { message: "Wait a second, then type the code again.", hasField: true };
const closed: Form = {
  message:
    "No code counts now. Press Enter in the terminal of <code>toolcrib console --pair</code> for a new one.",
  hasField: false,
};

const field = `<form method="post" action="/pair"><label>Code <input name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus></label> <button>Pair</button></form>`;

/** The only page before the code. It has no script and no style, and nothing of a request. */
function show(response: ServerResponse, status: number, { message, hasField }: Form): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Toolcrib console</title><h1>Toolcrib console</h1><p role="status">${message}</p>${hasField ? field : ""}</html>\n`;
  response.writeHead(status, {
    "content-security-policy":
      "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    // With "no-referrer", browsers send a form without its origin.
    "referrer-policy": "same-origin",
    "content-type": "text/html; charset=utf-8",
    // The rest of a form that is too long is not read.
    ...(status === 400 && { connection: "close" }),
  });
  response.end(page);
}

const notPaired: Refusal = {
  status: 401,
  code: "not-paired",
  message: "This device is not paired with the console.",
  hint: "Open the printed address, and type the code there.",
};
