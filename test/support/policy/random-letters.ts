/** Returns this many random letters of a character class, the same in every run. */
export function randomLetters(): (characterClass: string, length: number) => string {
  let state = 20_261_115;
  return (characterClass, length) => {
    const pattern = new RegExp(`^${characterClass}$`);
    const letters = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).filter(
      (letter) => pattern.test(letter),
    );
    const next = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return letters[Math.floor((state / 2 ** 32) * letters.length)];
    };
    return Array.from({ length }, next).join("");
  };
}
