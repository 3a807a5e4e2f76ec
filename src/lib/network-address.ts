/** The target of a connection, in the spelling that is both checked and resolved. */
export interface HostAndPort {
  /** A name in lower case without a final dot, or an address: `127.0.0.1`, `::1`. */
  readonly host: string;
  readonly port: number;
}

/**
 * Parses `example.com:443` or `[::1]:443`. Refuses everything that two programs could read differently (users, control
 * characters, percent signs, letters beyond ASCII, zones).
 */
export function parseHostAndPort(text: string, defaultPort?: number): HostAndPort | undefined {
  const [, name = "", digits] = /^([^:]+|\[[^\]]*\])(?::(\d{1,5}))?$/.exec(text) ?? [];
  const bracketed = /^\[(.*)\]$/s.exec(name)?.[1];
  if (bracketed !== undefined && !bracketed.includes(":")) return undefined;
  const host = parseHost(bracketed ?? name);
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** Parses a name or an address (IPv6 without brackets). `127.1` and `0x7f000001` become `127.0.0.1`. */
export function parseHost(text: string): string | undefined {
  if (text.includes(":")) return /^[0-9a-f:.]+$/i.test(text) ? canonical(`[${text}]`) : undefined;
  const name = text.toLowerCase().replace(/\.$/, "");
  const isName = name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  return isName ? canonical(name) : undefined;
}

/** Converts a name that ends in a number to an address, because some programs read it as an address. */
function canonical(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname.replace(/^\[(.*)\]$/, "$1");
  } catch {
    return undefined;
  }
}

/** The network that an IP address belongs to. Only "public" means another machine on the internet. */
export type AddressKind = "public" | keyof typeof ipv4Prefixes;

/**
 * Returns the kind of an address as the network stack writes it: four decimal numbers, or IPv6 with or without brackets
 * and zone. An IPv6 address that contains an IPv4 address has the kind of that IPv4 address. Returns undefined for
 * anything else.
 */
export function kindOfAddress(address: string): AddressKind | undefined {
  const bytes = bytesOf(address);
  return bytes && kindOfBytes(bytes);
}

/** Returns the four or sixteen bytes of an address; undefined when it is not an address. */
function bytesOf(address: string): readonly number[] | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) {
    const bytes = address.split(".").map(Number);
    return bytes.every((byte) => byte < 256) ? bytes : undefined;
  }
  const unwrapped = address.replace(/^\[(.*)\]$/, "$1");
  const [, inner = ""] = /^([0-9a-f:.]+)(?:%.+)?$/i.exec(unwrapped) ?? [];
  if (!inner.includes(":") || !URL.canParse(`http://[${inner}]/`)) return undefined;
  return bytesOfVersion6(new URL(`http://[${inner}]/`).hostname.slice(1, -1));
}

/** Parses IPv6 in the form that URLs use: without an IPv4 part, with at most one "::". */
function bytesOfVersion6(canonical: string): readonly number[] {
  const [left = [], right = []] = canonical
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const gap = Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...gap, ...right].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

function kindOfBytes(bytes: readonly number[]): AddressKind {
  const { ipv4, ipv6 } = knownRanges();
  if (bytes.length === 4) return ipv4.find((range) => isIn(range, bytes))?.kind ?? "public";
  const kind = ipv6.find((range) => isIn(range, bytes))?.kind ?? "reserved";
  if (kind === "ipv4At2") return kindOfBytes(bytes.slice(2, 6));
  if (kind === "ipv4At12" || (kind === "public" && isIsatap(bytes))) return kindOfBytes(bytes.slice(12));
  return kind;
}

/** Recognizes a tunnel address (RFC 5214), which ends in the four bytes of the IPv4 address that it leads to. */
function isIsatap(bytes: readonly number[]): boolean {
  const [first, second, third, fourth] = bytes.slice(8, 12);
  return (first === 0 || first === 2) && second === 0 && third === 0x5e && fourth === 0xfe;
}

interface Range<Kind> {
  readonly bytes: readonly number[];
  readonly bits: number;
  readonly kind: Kind;
}

function isIn(range: Range<unknown>, bytes: readonly number[]): boolean {
  for (let left = range.bits, at = 0; left > 0; left -= 8, at++) {
    const mask = left >= 8 ? 255 : (255 << (8 - left)) & 255;
    if ((bytes[at]! & mask) !== range.bytes[at]!) return false;
  }
  return true;
}

/** Lists the ranges, with narrow ranges before the wider ranges that contain them. */
function rangesOf<Kind extends string>(prefixes: Readonly<Record<Kind, string>>): readonly Range<Kind>[] {
  const entries = Object.entries(prefixes) as [Kind, string][];
  const ranges = entries.flatMap(([kind, list]) =>
    list.split(" ").map((prefix) => {
      const [address, bits] = prefix.split("/");
      return { bytes: bytesOf(address!)!, bits: Number(bits), kind };
    }),
  );
  return ranges.sort((left, right) => right.bits - left.bits);
}

// The ranges are those of IANA's special-purpose registries and the metadata services of clouds.
const ipv4Prefixes = {
  metadata:
    "168.63.129.16/32 100.100.100.200/32 169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 192.0.0.192/32",
  unspecified: "0.0.0.0/8",
  private: "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16",
  shared: "100.64.0.0/10",
  loopback: "127.0.0.0/8",
  "link-local": "169.254.0.0/16",
  documentation: "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24",
  reserved: "192.0.0.0/24 192.88.99.0/24 198.18.0.0/15 240.0.0.0/4",
  multicast: "224.0.0.0/4",
};

// An embedded IPv4 address begins at byte 2 or 12. Unlisted ranges are reserved.
const ipv6Prefixes = {
  unspecified: "::/128",
  loopback: "::1/128",
  ipv4At12: "::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96",
  ipv4At2: "2002::/16",
  private: "64:ff9b:1::/48 fc00::/7 fec0::/10",
  documentation: "2001:db8::/32 3fff::/20",
  reserved: "2001::/23",
  public: "2000::/3",
  metadata: "fd00:ec2::254/128 fd20:ce::254/128",
  "link-local": "fe80::/10",
  multicast: "ff00::/8",
};

/** Made on first use: most calls connect to nothing. */
const knownRanges = () => (ranges ??= { ipv4: rangesOf(ipv4Prefixes), ipv6: rangesOf(ipv6Prefixes) });
let ranges:
  | {
      readonly ipv4: readonly Range<keyof typeof ipv4Prefixes>[];
      readonly ipv6: readonly Range<keyof typeof ipv6Prefixes>[];
    }
  | undefined;
