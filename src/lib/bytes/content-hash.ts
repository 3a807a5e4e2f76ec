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
  const state = Int32Array.from(start);
  const schedule = new Int32Array(64);
  const padded = pad(content);
  for (let offset = 0; offset < padded.byteLength; offset += 64) {
    for (let word = 0; word < 16; word += 1) schedule[word] = padded.getInt32(offset + 4 * word);
    mix(state, schedule);
  }
  return Array.from(state, (word) => toHex(word >>> 0)).join("");
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

/**
 * Plain assignments of signed numbers, because a call runs this a few times in the interpreter, which is slow at
 * everything else and allocates memory for larger numbers.
 */
function mix(state: Int32Array, schedule: Int32Array): void {
  for (let word = 16; word < 64; word += 1) {
    const early = schedule[word - 15]!;
    const late = schedule[word - 2]!;
    schedule[word] =
      schedule[word - 16]! +
      schedule[word - 7]! +
      (((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)) +
      (((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10));
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let round = 0; round < 64; round += 1) {
    const turnedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + turnedE + ((e & f) ^ (~e & g)) + keys[round]! + schedule[round]!) | 0;
    const turnedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (turnedA + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** The constants of the standard: the first bits of the fractions of roots of prime numbers. */
const start = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const keys = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

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
