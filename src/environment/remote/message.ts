import { ToolError } from "../../contract/error.ts";

/**
 * A message on the channel is one frame: its kind, the id of its call, and a piece of a body. A body that is longer than
 * a frame is sent in pieces, so that short answers do not wait for long ones.
 */
export interface Frame {
  readonly kind: FrameKind;
  readonly id: number;
  /** Whether more pieces of the same body follow. */
  readonly more: boolean;
  readonly piece: Uint8Array;
}

const frameKinds = ["call", "answer", "failure", "cancel", "note"] as const;
export type FrameKind = (typeof frameKinds)[number];

const headBytes = 6;

/** The largest piece. A link carries at most one MiB at once. */
export const pieceBytes: number = 256 * 1024;

/** Returns the beginning of a frame. Its piece follows. */
export function frameHead({ kind, id, more }: Omit<Frame, "piece">): Uint8Array {
  const head = Buffer.allocUnsafe(headBytes);
  head[0] = frameKinds.indexOf(kind);
  head[1] = more ? 1 : 0;
  head.writeUInt32LE(id, 2);
  return head;
}

export function decodeFrame(message: Uint8Array): Frame {
  const kind = frameKinds[message[0] ?? -1];
  if (message.length < headBytes || kind === undefined || message[1]! > 1)
    throw badMessage("a frame has an unknown form");
  const id = Buffer.from(message.buffer, message.byteOffset, headBytes).readUInt32LE(2);
  return { kind, id, more: message[1] === 1, piece: message.subarray(headBytes) };
}

/**
 * A body is the length of a JSON text, the text, and the bytes that it refers to. Bytes are not put into the text,
 * because that would take a third more, and a copy on both sides.
 */
export function encodeBody(value: unknown): readonly Uint8Array[] {
  const attached: Uint8Array[] = [];
  const text = JSON.stringify({ value: detachBytes(value, attached) });
  const textBytes = Buffer.byteLength(text);
  const sizesBytes = 8 + attached.length * 4;
  const head = Buffer.allocUnsafe(sizesBytes + textBytes);
  head.writeUInt32LE(textBytes, 0);
  head.writeUInt32LE(attached.length, 4);
  for (let index = 0; index < attached.length; index += 1)
    head.writeUInt32LE(attached[index]!.length, 8 + index * 4);
  head.write(text, sizesBytes);
  return [head, ...attached];
}

/**
 * Moves bytes to `attached`, and returns the value with references to them. Copies only what contains bytes. A replacer of
 * JSON.stringify would get each Buffer as a list of numbers first.
 */
function detachBytes(value: unknown, attached: Uint8Array[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return { [bytesKey]: attached.push(value) - 1 };
  if (value instanceof Float64Array) return { [numbersKey]: attached.push(bytesOf(value)) - 1 };
  if (bytesKey in value || numbersKey in value)
    throw new TypeError("An object in a message has a reserved key");
  if (Array.isArray(value)) return value.map((item) => detachBytes(item, attached));
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const item = value[key as keyof typeof value];
    const detached = detachBytes(item, attached);
    if (detached === item) continue;
    copy ??= { ...value };
    copy[key] = detached;
  }
  return copy ?? value;
}

const bytesKey = "\0bytes";
const numbersKey = "\0numbers";
/** Every reserved key contains it in JSON. */
const reservedEscape = "\\u0000";

function bytesOf(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Reads a body. The values in it are not checked yet; bytes are views of `body`. */
export function decodeBody(body: Uint8Array): unknown {
  const view = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (view.length < 8) throw badMessage("a body is too short");
  const textBytes = view.readUInt32LE(0);
  const count = view.readUInt32LE(4);
  let at = 8 + count * 4;
  if (at + textBytes > view.length) throw badMessage("a body is cut off");
  if (textBytes > maxTextBytes) throw badMessage("a body has too much text");
  // Otherwise a few bytes each would take a hundred.
  if (count * leastReference > textBytes) throw badMessage("a body has bytes that it does not refer to");
  const text = view.toString("utf8", at, at + textBytes);
  at += textBytes;
  const attached: (Uint8Array | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const size = view.readUInt32LE(8 + index * 4);
    if (at + size > view.length) throw badMessage("a body is cut off");
    attached.push(body.subarray(at, at + size));
    at += size;
  }
  if (at !== view.length) throw badMessage("a body is too long");
  const parsed = parse(text, attached);
  return (parsed as { readonly value?: unknown } | null)?.value;
}

/** A text becomes many times its size when it is parsed. */
const maxTextBytes = 64 * 1024 * 1024;

/** The shortest text that refers to bytes. */
const leastReference = JSON.stringify({ [bytesKey]: 0 }).length;

function parse(text: string, attached: (Uint8Array | undefined)[]): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return text.includes(reservedEscape) ? attachBytes(value, attached) : value;
  } catch (error) {
    // A text that is nested too deeply exhausts the stack.
    throw error instanceof ToolError ? error : badMessage("a body is not valid JSON");
  }
}

/** Replaces references to bytes in place. A function that JSON.parse calls for each value takes four times as long. */
function attachBytes(value: unknown, attached: (Uint8Array | undefined)[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  if (bytesKey in fields) return taken(attached, fields[bytesKey]);
  if (numbersKey in fields) return numbersOf(taken(attached, fields[numbersKey]));
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    if (typeof item === "object" && item !== null) fields[key] = attachBytes(item, attached);
  }
  return value;
}

/** Takes bytes out of the list, because numbers are copied each time. */
function taken(attached: (Uint8Array | undefined)[], index: unknown): Uint8Array {
  const bytes = typeof index === "number" ? attached[index] : undefined;
  if (bytes === undefined) throw badMessage("a body refers to bytes that it does not have");
  attached[index as number] = undefined;
  return bytes;
}

/** Copies the bytes, because numbers must start at a multiple of eight. */
function numbersOf(bytes: Uint8Array): Float64Array {
  if (bytes.length % 8 !== 0) throw badMessage("numbers are cut off");
  return new Float64Array(Uint8Array.from(bytes).buffer);
}

/** The other side does not keep to the protocol: it is another version, or hostile. */
export function badMessage(fault: string): ToolError {
  return new ToolError("unavailable", `The target sent an invalid message: ${fault}`, {
    hint: "Do not repeat the call. Tell the user that the target does not work.",
    forUser: { hint: "Check the target; connect again to start a new server there." },
  });
}
