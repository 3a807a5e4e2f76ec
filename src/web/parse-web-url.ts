import { ToolError } from "../contract/error.ts";
import { kindOfAddress, parseHost } from "../lib/network-address.ts";

/** Parses a URL that can be fetched. Throws `invalid-input` for others. */
export function parseWebUrl(text: string): URL {
  const fault = faultOf(text.trim());
  if (fault instanceof URL) return fault;
  const { message, hint } = fault;
  throw new ToolError("invalid-input", `"${shortened(text)}" ${message}`, { hint });
}

interface Fault {
  readonly message: string;
  readonly hint: string;
}

/** Returns the URL without its fragment, or what is wrong with it. */
export function faultOf(text: string, base?: URL): URL | Fault {
  // Programs disagree about these characters, so the check could see another host than the request.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for these characters
  if (/[\u0000-\u001f\u007f\\]/.test(text))
    return { message: "contains a control character or a backslash", hint: "Leave it out." };
  if (text.length > mostCharacters)
    return { message: `has more than ${mostCharacters} characters`, hint: "Use a shorter URL." };
  const url = URL.parse(text.replaceAll(" ", "%20"), base?.href);
  if (url === null) return { message: "is not a URL", hint: "Give a whole URL: https://example.com/page" };
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { message: "is neither http nor https", hint: "Give a URL that begins with https:// or http://." };
  if (url.username !== "" || url.password !== "")
    return {
      message: "contains a user name or password",
      hint: "Leave out the part before the @: credentials are never sent.",
    };
  if (parseHost(url.hostname.replace(/^\[(.*)\]$/, "$1")) === undefined)
    return { message: "names no host", hint: "Give a name of letters, digits and dots, or an address." };
  url.hash = "";
  return url;
}

const mostCharacters = 8000;

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Whether a URL names this machine or an address that is not on the internet. Other names are resolved later. */
export function isNear({ hostname }: URL): boolean {
  return /(?:^|\.)localhost\.?$/.test(hostname) || (kindOfAddress(hostname) ?? "public") !== "public";
}
