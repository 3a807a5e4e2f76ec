import type { Piece } from "./protocol.ts";

/** What the API sends as a whole; a connection may still break in the middle of it, after the first half. */
export function inHalves({ data, is }: Piece): Piece[] {
  const half = Math.floor(data.length / 2);
  const middle = /[\udc00-\udfff]/.test(data[half]!) ? half + 1 : half;
  return [{ data: data.slice(0, middle), is: is! }, { data: data.slice(middle) }];
}
