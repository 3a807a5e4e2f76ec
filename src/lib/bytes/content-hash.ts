let crypto: typeof import("node:crypto") | undefined;
let hashedBytes = 0;

/** Returns the SHA-256 in lower-case hex. Text is hashed as UTF-8. */
export function contentHash(content: Uint8Array | string): string {
  if (crypto === undefined) {
    // A call that only reads hashes little, and loading node:crypto would take a fifth of its start time.
    hashedBytes += content.length;
    if (hashedBytes <= 16 * 1024) return sha256(typeof content === "string" ? Buffer.from(content) : content);
    crypto = process.getBuiltinModule("node:crypto");
  }
  return crypto.hash("sha256", content, "hex");
}

/** Computes SHA-256 without `node:crypto`. For small content, loading that module would take longer. */
export function sha256(content: Uint8Array): string {
  const state = Uint32Array.from(start);
  const schedule = new Uint32Array(64);
  const padded = pad(content);
  for (let offset = 0; offset < padded.byteLength; offset += 64) {
    for (let word = 0; word < 16; word += 1) schedule[word] = padded.getUint32(offset + 4 * word);
    mix(state, schedule);
  }
  return [...state].map(toHex).join("");
}

/** Pads to whole blocks of 64 bytes: a one bit, zeros, and the length in bits. */
function pad(content: Uint8Array): DataView {
  const blocks = new Uint8Array((Math.floor((content.length + 8) / 64) + 1) * 64);
  blocks.set(content);
  blocks[content.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setBigUint64(blocks.length - 8, BigInt(content.length) * 8n);
  return view;
}

function mix(state: Uint32Array, schedule: Uint32Array): void {
  for (let word = 16; word < 64; word += 1) {
    const early = schedule[word - 15]!;
    const late = schedule[word - 2]!;
    schedule[word] =
      schedule[word - 16]! +
      schedule[word - 7]! +
      (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) +
      (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let round = 0; round < 64; round += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + keys[round]! + schedule[round]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index]! += word;
  });
}

type Eight = readonly [number, number, number, number, number, number, number, number];

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

const primes = [...Array(312).keys()].slice(2).filter((number) => {
  for (let factor = 2; factor * factor <= number; factor += 1) if (number % factor === 0) return false;
  return true;
});

/** Returns the first 32 bits of the fraction of a root, which the standard uses as constants. */
function fractionOf(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

const start = primes.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)));
const keys = primes.slice(0, 64).map((prime) => fractionOf(Math.cbrt(prime)));

/** Returns 16 hex digits that identify a text (cyrb53 with all 64 bits). They are not safe against forgery. */
export function fingerprint(text: string): string {
  let left = 0xdeadbeef;
  let right = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    left = Math.imul(left ^ unit, 2654435761);
    right = Math.imul(right ^ unit, 1597334677);
  }
  const mixedLeft =
    Math.imul(left ^ (left >>> 16), 2246822507) ^ Math.imul(right ^ (right >>> 13), 3266489909);
  const mixedRight =
    Math.imul(right ^ (right >>> 16), 2246822507) ^ Math.imul(mixedLeft ^ (mixedLeft >>> 13), 3266489909);
  return toHex(mixedRight >>> 0) + toHex(mixedLeft >>> 0);
}

function toHex(word: number): string {
  return word.toString(16).padStart(8, "0");
}
