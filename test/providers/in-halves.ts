import type { Piece } from "./protocol.ts";

/** Splits data that the API sends as one event, because a connection may break in the middle of it. */
export function inHalves({ data, is }: Piece): Piece[] {
  const half = Math.floor(data.length / 2);
  const middle = /[\udc00-\udfff]/.test(data[half]!) ? half + 1 : half;
  return [{ data: data.slice(0, middle), is: is! }, { data: data.slice(middle) }];
}
