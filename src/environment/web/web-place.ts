import { ToolError } from "../../contract/error.ts";
import { type HostAndPort, parseHost } from "../../lib/net/parse-host.ts";

/** Where an exchange takes place. */
export interface WebPlace extends HostAndPort {
  readonly isSecure: boolean;
  /** For messages: "example.com", "localhost:3000". */
  readonly name: string;
}

export function placeOf(url: URL): WebPlace {
  const { protocol, hostname, port, username, password, host: name } = url;
  if (protocol !== "http:" && protocol !== "https:")
    throw new ToolError("invalid-input", `${protocol}// is not spoken here`, {
      hint: "Give a URL that begins with http:// or https://.",
    });
  if (username !== "" || password !== "")
    throw new ToolError("invalid-input", "The URL has a user or password in it", {
      hint: "Leave out what stands before the @: no credentials are sent.",
    });
  const host = parseHost(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (host === undefined)
    throw new ToolError("invalid-input", `"${hostname}" is no host`, {
      hint: "Give a name of letters, digits and dots, or an address.",
    });
  const isSecure = protocol === "https:";
  const usual = isSecure ? 443 : 80;
  return { host, port: port === "" ? usual : Number(port), isSecure, name };
}
