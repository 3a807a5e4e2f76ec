/** What a line of output is. */
export type Heard =
  | { readonly kind: "message"; readonly value: unknown }
  /** Not JSON, or none that could be a message. */
  | { readonly kind: "junk" }
  /** An answer in a line too long to be taken; `id`: of the request that it seems to answer. */
  | { readonly kind: "too long"; readonly id: number | undefined };

/**
 * Takes output apart into JSON messages, a line each. Whatever else is printed is passed over, in bounded memory. One by
 * one, so that whoever hears them can take a breath in between.
 */
export class MessageLines {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Of a line that is already too long: its last part. */
  #tail: Buffer | undefined;
  #head: Buffer | undefined;

  constructor(maxBytes: number = 16 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  *take(bytes: Uint8Array): Generator<Heard> {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#add(rest.subarray(0, end));
      yield* this.#finish();
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#tail !== undefined) {
      this.#tail = Buffer.concat([this.#tail, piece]).subarray(-edgeBytes);
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes <= this.#maxBytes) return;
    const line = Buffer.concat(this.#pieces);
    this.#head = Buffer.from(line.subarray(0, edgeBytes));
    this.#tail = Buffer.from(line.subarray(-edgeBytes));
    this.#pieces = [];
  }

  *#finish(): Generator<Heard> {
    const [head, tail, line] = [this.#head, this.#tail, Buffer.concat(this.#pieces)];
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#tail = undefined;
    if (tail !== undefined) yield { kind: "too long", id: idIn(`${head}`, `${tail}`) };
    else if (line.length > 0) yield* read(line.toString());
  }
}

function* read(text: string): Generator<Heard> {
  const line = text.trim();
  if (line === "") return;
  const value = line.startsWith("{") || line.startsWith("[") ? parse(line) : undefined;
  const values = Array.isArray(value) ? value : [value];
  if (value === undefined || values.length > maxBatch) yield { kind: "junk" };
  else for (const one of values) yield { kind: "message", value: one };
}

// Nobody has asked that much at once.
const maxBatch = 1_000;
const edgeBytes = 256;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Where people and libraries put it: before what it is about, or after all of it. */
function idIn(head: string, tail: string): number | undefined {
  const found =
    /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)/.exec(head) ??
    /[}\]]\s*,(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(
      tail,
    );
  return found ? Number(found[1]) : undefined;
}
