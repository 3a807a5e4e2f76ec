/**
 * Names may hold anything; a line end in one must not look like a line of the answer, nor what turns the direction of writing
 * make it look like another name.
 */
export function showPath(path: string): string {
  return steering.test(path)
    ? JSON.stringify(path).replace(
        everySteering,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    : path;
}

const characters = "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]";
const steering = new RegExp(characters, "u");
const everySteering = new RegExp(characters, "gu");
