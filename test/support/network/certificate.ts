import { createPrivateKey } from "node:crypto";

/**
 * A self-signed certificate for a server named secure.example, valid for a hundred years. Used only in these tests.
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBpDCCAUqgAwIBAgIUXQrMyc5nvlCYDY55mLQJ9lARQtwwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOc2VjdXJlLmV4YW1wbGUwIBcNMjYxMTE1MTE1MzIzWhgPMjEy
NjEwMjIxMTUzMjNaMBkxFzAVBgNVBAMMDnNlY3VyZS5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEoc7w1ORaKY6imn+i2WobdtG7n03df/fCEiOFnO8V
kC/xLraZ5yaj3jVGXd7mu604olZkz4JlcEVDZnTyyk1hKKNuMGwwHQYDVR0OBBYE
FLWHJ0b8st8jZFhLumXHH43yNkInMB8GA1UdIwQYMBaAFLWHJ0b8st8jZFhLumXH
H43yNkInMA8GA1UdEwEB/wQFMAMBAf8wGQYDVR0RBBIwEIIOc2VjdXJlLmV4YW1w
bGUwCgYIKoZIzj0EAwIDSAAwRQIhAIK+eh/RJgS/842MboYVtN9VriClWUvFFsu0
XF+zgwuCAiA3vq6x2XAXBKWnqhBbgftquumhbFDwVDWb93hNrg1zpA==
-----END CERTIFICATE-----
`;

export const certificateKey: string = createPrivateKey({
  key: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmjFwpfSx3v2hYBI2Hwe7Gxw4k7JLarA83e+OojLhe8KhRANCAAShzvDU5FopjqKaf6LZaht20bufTd1/98ISI4Wc7xWQL/EutpnnJqPeNUZd3ua7rTiiVmTPgmVwRUNmdPLKTWEo",
  format: "der",
  type: "pkcs8",
  encoding: "base64",
})
  .export({ format: "pem", type: "pkcs8" })
  .toString();
