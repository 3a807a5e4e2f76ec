import type { Piece } from "./protocol.ts";

/** What the API sends as a whole; a connection may still break in the middle of it. */
export function inHalves({ data, is }: Piece): Piece[] {
  const half = Math.floor(data.length / 2);
  const middle = /[\udc00-\udfff]/.test(data[half]!) ? half + 1 : half;
  return [data.slice(0, middle), data.slice(middle)].map((part) => ({ data: part, is: is! }));
}
