import type { Announcing } from "../../contract/environment.ts";

/**
 * For a change whose keeping has failed: lets the change be refused for what is wrong with it, if anything is, and
 * otherwise for what went wrong.
 */
export function refusing(
  change: (options: Required<Announcing>) => Promise<unknown>,
): (error: unknown) => Promise<never> {
  return async (error) => {
    await change({
      announce: () => {
        throw error;
      },
    });
    throw error;
  };
}
