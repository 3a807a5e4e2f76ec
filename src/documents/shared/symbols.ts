/**
 * Returns the character that a symbol font shows for a letter; undefined for other fonts, U+FFFD for symbols without a
 * character. Files contain the letter unchanged or with U+F000 added.
 */
export function symbol(font: string, code: number): string | undefined {
  const letter = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  if (/^symbol/i.test(font))
    return greek.get(letter) ?? (letter < 0x40 ? String.fromCharCode(letter) : "\ufffd");
  if (/^wingdings\b/i.test(font)) return dingbats.get(letter) ?? "\ufffd";
  if (letter !== code) return letter < 0x20 ? "\ufffd" : String.fromCharCode(letter);
  return undefined;
}

const greek = fromRuns([
  [0x22, "∀"],
  [0x24, "∃"],
  [0x27, "∋"],
  [0x2a, "∗"],
  [0x2d, "−"],
  [0x40, "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"],
  [0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"],
  [0xa0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…"],
  [0xbf, "↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"],
  [0xf1, "〉∫"],
]);

const dingbats = fromRuns([
  [0x20, " "],
  [0x21, "✏✂✁"],
  [0x28, "☎✆✉"],
  [0x36, "⌛⌨"],
  [0x41, "✌"],
  [0x46, "☞"],
  [0x4a, "☺"],
  [0x4c, "☹"],
  [0x54, "❄"],
  [0x6c, "●"],
  [0x6e, "■□"],
  [0x71, "❑❒"],
  [0x75, "◆❖"],
  [0x9e, "·•"],
  [0xa0, "▫○"],
  [0xa7, "▪◻"],
  [0xab, "★"],
  [0xd8, "➢"],
  [0xdf, "←→↑↓↖↗↙↘"],
  [0xe8, "➔"],
  [0xef, "⇦⇨⇧⇩⬄⇳"],
  [0xfb, "✗✓☒☑"],
]);

/** Makes a map from runs of characters with consecutive codes. */
function fromRuns(runs: readonly (readonly [number, string])[]): ReadonlyMap<number, string> {
  return new Map(
    runs.flatMap(([start, characters]) =>
      [...characters].map((character, index) => [start + index, character] as const),
    ),
  );
}
