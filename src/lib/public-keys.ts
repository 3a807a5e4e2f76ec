/** Whether files of this name may be certificates for everybody or private keys: only their content tells. */
export function mayBePublicKeys(path: string): boolean {
  return /\.pem$/i.test(path);
}

/** Whether a text has at least one block of public keys, and outside such blocks only what cannot be a key. */
export function hasOnlyPublicKeys(text: string): boolean {
  let label: string | undefined;
  let blocks = 0;
  for (const line of text.split("\n").map(unquoted)) {
    if (label === undefined) {
      label = publicBlock.exec(line)?.[1];
      if (label === undefined && !isComment(line)) return false;
    } else if (line === `-----END ${label}-----`) {
      blocks += 1;
      label = undefined;
    } else if (!/^[A-Za-z0-9+/=]*$/.test(line)) return false;
  }
  return blocks > 0 && label === undefined;
}

/** Some packages keep certificates as lines of a program: `"-----BEGIN CERTIFICATE-----\n" +`. */
function unquoted(line: string): string {
  return line.trim().replace(/^"(.*)\\n"(?: \+)?$/, "$1");
}

const publicBlock =
  /^-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE|(?:NEW )?CERTIFICATE REQUEST|X509 CRL|(?:RSA |DSA |EC )?PUBLIC KEY|(?:DH|X9\.42 DH|DSA|EC) PARAMETERS)-----$/;

/** Bundles name each certificate, and openssl prints what is in it. No line may contain or name something private. */
function isComment(line: string): boolean {
  return !/-----|private|secret|passw|passphrase|token|[A-Za-z0-9+/]{40}/i.test(line.replace(/\b\d+\b/g, ""));
}
