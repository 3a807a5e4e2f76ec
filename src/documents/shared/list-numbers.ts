/** Formats the number of a list item. For 4: "1" gives 4, "a" d, "A" D, "i" iv, "I" IV, "01" 04, and "" nothing. */
export function formatListNumber(number: number, style: "1" | "a" | "A" | "i" | "I" | "01" | ""): string {
  switch (style) {
    case "":
      return "";
    case "01":
      return String(number).padStart(2, "0");
    case "a":
    case "A": {
      // After z comes aa, then bb.
      if (number < 1 || number > mostLetters) return String(number);
      const letter = String.fromCharCode((style === "a" ? 0x61 : 0x41) + ((number - 1) % 26));
      return letter.repeat(Math.ceil(number / 26));
    }
    case "i":
    case "I": {
      if (number < 1 || number > 3999) return String(number);
      return style === "I" ? roman(number) : roman(number).toLowerCase();
    }
    default:
      return String(number);
  }
}

export type ListNumberStyle = Parameters<typeof formatListNumber>[1];

const mostLetters = 26 * 20;

function roman(number: number): string {
  let left = number;
  let text = "";
  for (const [letters, value] of romans)
    while (left >= value) {
      text += letters;
      left -= value;
    }
  return text;
}

const romans: readonly (readonly [string, number])[] = Object.entries({
  M: 1000,
  CM: 900,
  D: 500,
  CD: 400,
  C: 100,
  XC: 90,
  L: 50,
  XL: 40,
  X: 10,
  IX: 9,
  V: 5,
  IV: 4,
  I: 1,
});
