import * as z from "zod/mini";

export const agentField: z.ZodMiniString = z.string().check(z.minLength(1));
