import * as z from "zod/mini";

export const nameField: z.ZodMiniString = z.string().check(z.minLength(1));
