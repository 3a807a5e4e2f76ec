/** Counts the values in JSON without parsing it, because parsing many values takes long. Stops counting above `most`. */
export function countValues(json: string, most: number): number {
  let count = 1;
  for (let at = 0; at < json.length && count <= most; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at);
    else if (character === "," || character === "[" || character === "{") count += 1;
  }
  return count;
}

/** Returns where the text that begins at a quote ends. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = end;
    while (json[escapes - 1] === "\\") escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return json.length;
}
