import * as z from "zod/mini";

// The bodies of requests, as `api.ts` describes them. Unknown fields are refused.

const text = z.string().check(z.maxLength(100_000));
const name = z.string().check(z.minLength(1), z.maxLength(200));
const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const position = z.int().check(z.minimum(0), z.maximum(1000));

export const login = z.strictObject({ code: name });

export const answer = z.strictObject({
  workspace: name,
  id: name,
  hash,
  previewHash: hash,
  answer: z.enum(["once", "session", "always", "no"]),
  width: z.optional(position),
  message: z.optional(text),
});
