import { registerHooks } from "node:module";

/**
 * Resolves the imports of each module once. Toolcrib imports its heavy modules on first use, so tests run the same
 * `import()` thousands of times, and for each one Vitest asks Node for the file again and sends a message to its main
 * process.
 */
const resolved = new Map<string, ReturnType<Parameters<NonNullable<Hooks["resolve"]>>[2]>>();

type Hooks = Parameters<typeof registerHooks>[0];

registerHooks({
  resolve: (specifier, context, next) => {
    // Vitest imports test files under a new address each time.
    if (context.parentURL === undefined || !/^(?:\.|node:)/.test(specifier)) return next(specifier, context);
    const key = `${context.parentURL} ${specifier}`;
    const known = resolved.get(key);
    if (known !== undefined) return { ...known, shortCircuit: true };
    const result = next(specifier, context);
    resolved.set(key, result);
    return result;
  },
});
