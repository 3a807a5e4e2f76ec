import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, extname, resolve } from "node:path";
import type { Session } from "../../agent/session.ts";
import { imageProblem } from "../../lib/bytes/check-image.ts";
import type { ImagePart } from "../../models/message.ts";
import { attempt } from "../../system/attempt.ts";
import { folderHere } from "../options.ts";

/** Returns the images whose paths the user pasted, dragged or mentioned with `@`, and their names. */
export function attachImages(
  input: string,
  { model, toolcrib: crib }: Pick<Session, "model" | "toolcrib">,
): { readonly images: readonly ImagePart[]; readonly attached: readonly string[] } {
  const paths = model.facts.seesImages === false ? [] : pathsIn(input);
  const found = [...new Set(paths)].slice(0, maxImages).flatMap((path) => {
    const image = attempt(() => readImage(resolve(folderHere(crib), path)));
    return image ? [{ path, image }] : [];
  });
  return {
    images: found.map(({ image }) => image),
    attached: found.map(({ path }) => basename(path)),
  };
}

/** A terminal quotes a dragged path, or escapes its spaces. */
function pathsIn(input: string): readonly string[] {
  return [...input.matchAll(paths)].map(([, quoted, double, plain = ""]) => {
    const path = quoted ?? double ?? plain.replace(/\\(.)/g, "$1");
    return path.replace(/^~(?=\/)/, homedir()).replace(/^file:\/\//, "");
  });
}

const paths =
  /(?<=^|\s)@?(?:'([^'\n]+\.(?:png|jpe?g|gif|webp))'|"([^"\n]+\.(?:png|jpe?g|gif|webp))"|((?:\\.|[^\s'"\\])+\.(?:png|jpe?g|gif|webp)))(?=$|[\s,.;:!?])/gi;

function readImage(path: string): ImagePart | undefined {
  const stats = statSync(path);
  const mediaType = mediaTypes[extname(path).toLowerCase()];
  if (mediaType === undefined || !stats.isFile() || stats.size > maxBytes) return undefined;
  const image: ImagePart = { type: "image", mediaType, base64: readFileSync(path).toString("base64") };
  return imageProblem(image) === undefined ? image : undefined;
}

const mediaTypes: Readonly<Record<string, string | undefined>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

const maxImages = 8;
const maxBytes = 5 * 1024 ** 2;
