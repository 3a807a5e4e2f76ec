import { generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";

/** A key and a certificate for a TLS server, as PEM. */
export interface OwnCertificate {
  readonly key: string;
  readonly certificate: string;
  /** The SHA-256 of the certificate, as browsers show it: "AB:CD:…". */
  readonly fingerprint: string;
}

/**
 * Makes a certificate for an IPv4 address, signed by its own new key, valid for 30 days. Node can sign but has no encoder
 * for certificates, so this writes the fields of RFC 5280 in DER.
 */
export function makeCertificate(address: string): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = sequence(set(sequence(oid("2.5.4.3"), der(0x0c, Buffer.from("Toolcrib console")))));
  const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
  const day = 24 * 60 * 60 * 1000;
  const serial = randomBytes(16);
  // A positive number of full length.
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    name,
    // Clocks of devices differ.
    sequence(time(Date.now() - day), time(Date.now() + 30 * day)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensionsFor(address))),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = new X509Certificate(sequence(body, algorithm, bits(signature, 0)));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: whole.toString(),
    fingerprint: whole.fingerprint256,
  };
}

/** Not an authority, only for signatures of a server with this address. */
function extensionsFor(address: string): readonly Buffer[] {
  const ip = der(0x87, Buffer.from(address.split(".").map(Number)));
  return [
    extension("2.5.29.19", sequence(), { isCritical: true }),
    extension("2.5.29.15", bits(Buffer.from([0x80]), 7), { isCritical: true }),
    extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1"))),
    extension("2.5.29.17", sequence(ip)),
  ];
}

function extension(id: string, value: Buffer, { isCritical = false } = {}): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : [];
  return sequence(oid(id), ...critical, der(0x04, value));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, ...parts);
}

function bits(value: Buffer, unused: number): Buffer {
  return der(0x03, Buffer.from([unused]), value);
}

/** As YYMMDDHHMMSSZ, which is enough until 2049. */
function time(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(text.slice(2)));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(inSevenBits)]));
}

/** All bytes but the last have the highest bit set. */
function inSevenBits(number: number): readonly number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}
