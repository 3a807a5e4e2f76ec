/** A line of output that is no message, or an answer that came in a line too long to be taken. */
export interface LineListener {
  message(value: unknown): void;
  /** Not JSON, or none that could be a message. */
  junk(line: string): void;
  /** `id`: of the request that it seems to answer. */
  tooLong(id: number | undefined): void;
}

/** Takes output apart into JSON messages, a line each. Whatever else is printed is passed over, in bounded memory. */
export class MessageLines {
  readonly #listener: LineListener;
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Of a line that is already too long: its last part. */
  #tail: Buffer | undefined;
  #head: Buffer | undefined;

  constructor(listener: LineListener, maxBytes: number = 16 * 1024 * 1024) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
  }

  take(bytes: Uint8Array): void {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#add(rest.subarray(0, end));
      this.#finish();
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

  #finish(): void {
    if (this.#tail !== undefined) this.#listener.tooLong(idIn(`${this.#head}`, `${this.#tail}`));
    else if (this.#bytes > 0) this.#read(Buffer.concat(this.#pieces).toString());
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#tail = undefined;
  }

  #read(text: string): void {
    const line = text.trim();
    if (line === "") return;
    const value = line.startsWith("{") || line.startsWith("[") ? parse(line) : undefined;
    if (value === undefined) this.#listener.junk(line);
    else for (const one of Array.isArray(value) ? value : [value]) this.#listener.message(one);
  }
}

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
