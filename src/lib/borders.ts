/** For every length, how long the longest shorter beginning is that the beginning of that length ends with. */
export function bordersOf(pattern: ArrayLike<unknown>): readonly number[] {
  const borders = [0, 0];
  for (let length = 1; length < pattern.length; length += 1) {
    let border = borders[length]!;
    while (border > 0 && pattern[border] !== pattern[length]) border = borders[border]!;
    borders.push(pattern[border] === pattern[length] ? border + 1 : 0);
  }
  return borders;
}
