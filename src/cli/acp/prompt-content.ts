import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import { imageProblem } from "../../lib/bytes/check-image.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { UserMessage } from "../../models/message.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { fenced } from "./tool-content.ts";

type Parts = UserMessage["content"];

/**
 * Returns a prompt as the model reads it: links as `@path` where they stand, the contents of attached files at the end,
 * and images. No file is read here: the model reads links with its tools, by the user's rules.
 */
export function readPrompt(blocks: readonly ContentBlock[], workspace: string): Parts {
  let text = "";
  const attached: string[] = [];
  const images: Parts[number][] = [];
  for (const block of blocks) {
    if (block.type === "text") text += block.text;
    else if (block.type === "image") images.push(readImage(block.data, block.mimeType));
    else if (block.type === "resource_link") text += mention(block.uri, workspace);
    else if (block.type === "audio") throw RequestError.invalidParams(undefined, "Audio is not supported.");
    else {
      const { resource } = block;
      text += mention(resource.uri, workspace);
      if ("text" in resource)
        attached.push(`Attached by the user: ${mention(resource.uri, workspace)}\n${fenced(resource.text)}`);
      else if (resource.mimeType?.startsWith("image/"))
        images.push(readImage(resource.blob, resource.mimeType));
    }
  }
  const whole = [text, ...attached].join("\n\n");
  if (whole.length > maxChars)
    throw RequestError.invalidParams(
      undefined,
      `The prompt has ${whole.length} characters; the limit is ${maxChars}. Link large files instead of attaching them.`,
    );
  if (whole.trim() === "" && images.length === 0)
    throw RequestError.invalidParams(undefined, "The prompt is empty.");
  return [...(whole.trim() === "" ? [] : [{ type: "text" as const, text: whole }]), ...images];
}

const maxChars = 1_000_000;

function readImage(base64: string, mediaType: string): Parts[number] {
  if (!mediaTypes.has(mediaType))
    throw RequestError.invalidParams(
      undefined,
      `Images of type ${printableLine(mediaType.slice(0, 60))} are not supported. Use PNG, JPEG, GIF or WebP.`,
    );
  if (base64 === "" || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw RequestError.invalidParams(undefined, "The data of an image is not valid base64.");
  const problem = imageProblem({ mediaType, base64 });
  if (problem !== undefined)
    throw RequestError.invalidParams(undefined, `An image cannot be sent: ${problem}.`);
  return { type: "image", mediaType, base64 };
}

const mediaTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Names a file of the workspace by its relative path, and everything else by its URI. */
function mention(uri: string, workspace: string): string {
  const path = pathOf(uri);
  const name = path !== undefined && liesInside(path, workspace) ? relative(workspace, path) || "." : uri;
  const lines = path === undefined ? "" : (/#L\d+(?:[:-]L?\d+)?$/.exec(uri)?.[0] ?? "");
  return `@${printableLine(name === uri ? uri.slice(0, maxUriChars) : name + lines)}`;
}

const maxUriChars = 2_000;

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
