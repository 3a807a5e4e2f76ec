import type { Dialect } from "../dialect.ts";

/** For dialects that give a command's time in seconds, and run none in the background. */
export const failureInSeconds: NonNullable<Dialect["failure"]> = ({ message, hint, output }) => {
  const wayOut = hint?.includes("`timeout_secs`") ? "Give a larger `timeout_secs` (at most 600)." : hint;
  return [message, wayOut, output].filter((part) => part).join("\n");
};
