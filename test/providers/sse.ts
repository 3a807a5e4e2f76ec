import type { Piece } from "./protocol.ts";

/** One event of a stream of server-sent events. */
export function sse(data: unknown, { event, is }: { event?: string; is?: Piece["is"] } = {}): Piece {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return { data: `${name}data: ${JSON.stringify(data)}\n\n`, ...(is && { is }) };
}
