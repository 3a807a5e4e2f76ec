import { matchesOne, type Token } from "../../lib/glob/glob-segment.ts";

/** They meet, but only where one of them leaves open what the other says. */
export const apart = 1;
/** They meet in something that both spell out. */
export const alike = 2;

/** The ways in which two patterns can stand for one text: without, or with, something that both spell out. */
export function waysToMeet(one: readonly Token[], other: readonly Token[]): number {
  const width = other.length + 1;
  const ways = new Uint8Array((one.length + 1) * width);
  ways[ways.length - 1] = apart;
  for (let left = one.length; left >= 0; left -= 1)
    for (let right = other.length; right >= 0; right -= 1) {
      const [mine, yours] = [one[left], other[right]];
      const at = left * width + right;
      if (mine === "*") ways[at]! |= ways[at + width]! | (yours === undefined ? 0 : ways[at + 1]!);
      if (yours === "*") ways[at]! |= ways[at + 1]! | (mine === undefined ? 0 : ways[at + width]!);
      if (mine === undefined || yours === undefined || mine === "*" || yours === "*") continue;
      const rest = ways[at + width + 1]!;
      if (rest === 0 || !couldBeSame(mine, yours)) continue;
      ways[at]! |= isSpelled(mine) && isSpelled(yours) ? alike : rest;
    }
  return ways[0]!;
}

export function isSpelled(token: Token | undefined): boolean {
  return typeof token === "object";
}

function couldBeSame(one: Exclude<Token, "*">, other: Exclude<Token, "*">): boolean {
  if (one === "?" || other === "?") return true;
  if ("code" in one) return matchesOne(other, one.code);
  return "code" in other ? matchesOne(one, other.code) : true;
}
