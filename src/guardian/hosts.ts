/**
 * The host in an address as rules see it: lower case, in ASCII, without user, port and the dot at the end; numbers as
 * addresses are written (`127.1` is `127.0.0.1`). Undefined where no host can be told.
 */
export function hostOf(address: string): string | undefined {
  const [, shellHost] = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(address) ?? [];
  const place = shellHost ?? authorityOf(address);
  // Programs read these differently: a name may end there, or go on.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(place)) return undefined;
  try {
    const { hostname } = new URL(`http://${withoutPort(place)}/`);
    return hostname.replace(/\.+$/, "").replace(/^\[(.*)\]$/, "$1") || undefined;
  } catch {
    return undefined;
  }
}

/** `https://user@host:80/path`, `user@host:path`, `host:80`, `[::1]:80`, `@host`: what stands before the path. */
function authorityOf(address: string): string {
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(address) ?? [];
  return authority ?? address.replace(/[/?#].*$/s, "");
}

function withoutPort(place: string): string {
  const host = place.slice(place.lastIndexOf("@") + 1);
  if (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host)) return `[${host}]`;
  return host.startsWith("[") ? host.replace(/^(\[[^\]]*\]).*$/s, "$1") : host.replace(/:.*$/s, "");
}
