import type { Environment } from "../contract/environment.ts";

/**
 * Returns `inner` with some members replaced, and others added. A method that `inner` does not have stays missing, even
 * when it is overridden, so that a wrapped environment has exactly the abilities of the inner one. Overrides must not
 * use `this`.
 *
 * Every call wraps its environment, so nothing is copied: members are looked up when they are used.
 */
export function overrideEnvironment<Added extends object>(
  inner: Environment,
  overrides: Partial<Environment> & Added,
): Environment & Added {
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name in overrides) {
        const override: unknown = Reflect.get(overrides, name);
        return typeof override === "function" && value === undefined ? undefined : override;
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as Environment & Added;
}
