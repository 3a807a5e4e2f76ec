import { type Side, sides } from "../sides.ts";

export function sideOf(name: string): Side {
  const side = sides.find((each) => each.name === name);
  if (side === undefined) throw new Error(`There is no side ${name}.`);
  return side;
}

/** One red pixel. */
export const picture: Uint8Array = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
