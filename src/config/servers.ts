import * as z from "zod/mini";

const text = z.optional(z.string());
const texts = z.optional(z.record(z.string(), z.string()));
const milliseconds = z.optional(
  z
    .int()
    .check(z.minimum(1, "must be a number of milliseconds"), z.maximum(3_600_000, "must be at most an hour")),
);

export const signingAlgorithms = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
] as const;

const oauth = z.strictObject({
  grant: z.optional(z.enum(["client_credentials", "jwt_bearer"])),
  clientId: text,
  clientSecret: text,
  privateKey: text,
  algorithm: z.optional(z.enum(signingAlgorithms)),
  assertion: text,
  assertionFile: text,
  identityProvider: z.optional(
    z.strictObject({ tokenEndpoint: z.string(), clientId: z.string(), clientSecret: text }),
  ),
  issuer: text,
  scope: text,
});

/** The fields of an MCP server, in `mcp.json` and in `mcp_servers` of `config.toml`. */
export const serverFields = {
  command: z.optional(z.string().check(z.minLength(1, "must not be empty"))),
  args: z.optional(z.array(z.string())),
  env: texts,
  cwd: text,
  files: texts,
  type: text,
  url: text,
  headers: texts,
  oauth: z.optional(oauth),
  timeoutMs: milliseconds,
  startTimeoutMs: milliseconds,
  tools: z.optional(z.array(z.string())),
  disabled: z.optional(z.boolean()),
  protocol: z.optional(z.enum(["2025", "2026", "auto"])),
  trustAnnotations: z.optional(z.boolean()),
  roots: z.optional(z.boolean()),
};
