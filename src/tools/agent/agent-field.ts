import * as z from "zod/mini";

export const agentField: z.ZodMiniString = z
  .string()
  .check(z.minLength(1), z.describe("Its id, as agent.spawn told it."));
