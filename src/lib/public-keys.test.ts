import { expect, it } from "vitest";
import { hasOnlyPublicKeys } from "./public-keys.ts";

const block = (label: string) =>
  `-----BEGIN ${label}-----\nMIIBIjANBgkqhkiG9w0B+/AQ==\n-----END ${label}-----\n`;

const asLines = (text: string) =>
  `  // A Root CA\n${text
    .trim()
    .replaceAll(/^.*$/gm, (line) => `  "${line}\\n" +`)
    .replace(/ \+$/, "")}`;

const bundle = block("CERTIFICATE").repeat(3000);

it.each([
  ["a certificate", block("CERTIFICATE")],
  ["Windows line ends, without the last", block("CERTIFICATE").replaceAll("\n", "\r\n").trim()],
  ["a public key", block("PUBLIC KEY")],
  ["a public key of RSA", block("RSA PUBLIC KEY")],
  ["a revocation list", block("X509 CRL")],
  ["a request", block("CERTIFICATE REQUEST")],
  ["parameters", block("DH PARAMETERS") + block("EC PARAMETERS")],
  [
    "a bundle as certifi has it",
    `\n# Issuer: CN=GlobalSign Root CA O=GlobalSign nv-sa\n# Label: "GlobalSign Root CA"
# Serial: 6643877497813316402923000000000000000000000000000001
# SHA256 Fingerprint: eb:d4:10:40:e4:bb:3e:c7:42:c9:e3:81:d3:1e:f2:a4:1a:48:b6:68:5c:96:e7:ce:f3:c1:df:6c:d4:33:1c:99
${block("CERTIFICATE")}`,
  ],
  [
    "a bundle as curl has it",
    `##\n## Bundle\n##\n\nGlobalSign Root CA\n${"=".repeat(50)}\n${block("CERTIFICATE")}`,
  ],
  [
    "what openssl prints",
    `Certificate:\n    Data:\n        Modulus:\n            00:da:0e\n${block("CERTIFICATE")}`,
  ],
  ["a large bundle", bundle],
  ["a certificate as lines of a program", asLines(block("CERTIFICATE"))],
])("finds only public keys in %s", (_, text) => {
  expect(hasOnlyPublicKeys(text)).toBe(true);
});

it.each([
  ["a private key", block("PRIVATE KEY")],
  ["a private key of RSA", block("RSA PRIVATE KEY")],
  ["an encrypted key", block("ENCRYPTED PRIVATE KEY")],
  ["a key of OpenSSH", block("OPENSSH PRIVATE KEY")],
  ["a key after a certificate", block("CERTIFICATE") + block("PRIVATE KEY")],
  ["a key before a certificate", block("EC PRIVATE KEY") + block("CERTIFICATE")],
  ["parameters and their key", block("EC PARAMETERS") + block("EC PRIVATE KEY")],
  ["a key after megabytes of certificates", bundle + block("PRIVATE KEY")],
  ["a key after a certificate, as lines of a program", asLines(block("CERTIFICATE") + block("PRIVATE KEY"))],
  ["a key between two certificates", bundle + block("PRIVATE KEY") + bundle],
  ["a key inside a certificate", block("CERTIFICATE").replace("MII", `${block("PRIVATE KEY")}MII`)],
  ["a key behind white space", `${block("CERTIFICATE")}   -----BEGIN PRIVATE KEY-----   \nMII\n`],
  ["an encrypted message", block("PKCS7")],
  ["a block without an end", block("CERTIFICATE").replace(/-----END.*/, "")],
  ["a block with another end", block("CERTIFICATE").replace("END CERTIFICATE", "END PUBLIC KEY")],
  ["headers in a block", block("CERTIFICATE").replace("MII", "Proc-Type: 4,ENCRYPTED\nMII")],
  ["a key without its border", `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2)}\n${block("CERTIFICATE")}`],
  ["a password in a comment", `# Password: x\n${block("CERTIFICATE")}`],
  [
    "a private key as openssl prints it",
    `Private-Key: (256 bit)\npriv:\n    00:da:0e\n${block("PUBLIC KEY")}`,
  ],
  ["no block", "Only text.\n"],
  ["nothing", ""],
  ["a binary file", "\0\x01\x02"],
])("finds more than public keys in %s", (_, text) => {
  expect(hasOnlyPublicKeys(text)).toBe(false);
});
