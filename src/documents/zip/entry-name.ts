/** UTF-8 where it is said or holds, else the characters of the first PCs, which most packers mean then. */
export function entryName(raw: Buffer, isUtf8: boolean, extra: Buffer): string {
  const name = unicodeName(extra) ?? decoded(raw, isUtf8);
  // Some packers of Windows write its separator.
  return name.includes("/") ? name : name.replaceAll("\\", "/");
}

/** Whether unpacking it to its name could write elsewhere than into the folder one unpacks to. */
export function leadsOutside(name: string): boolean {
  return /^[/\\]|^[a-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|\0/i.test(name);
}

function decoded(raw: Buffer, isUtf8: boolean): string {
  if (isUtf8) return raw.toString("utf8");
  try {
    return strict.decode(raw);
  } catch {
    return Array.from(raw, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : firstPc[byte - 0x80])).join(
      "",
    );
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Code page 437, from 0x80 on. */
const firstPc =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** The extra field in which older packers say the name in Unicode. */
function unicodeName(extra: Buffer): string | undefined {
  for (let at = 0; at + 9 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const length = extra.readUInt16LE(at + 2);
    if (
      extra.readUInt16LE(at) === 0x7075 &&
      extra[at + 4] === 1 &&
      length > 5 &&
      at + 4 + length <= extra.length
    )
      return extra.toString("utf8", at + 9, at + 4 + length);
  }
  return undefined;
}
