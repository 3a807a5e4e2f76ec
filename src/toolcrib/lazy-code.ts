import type { CodeOptions, OpenCode } from "../code/open-code.ts";

/** Loaded by the first call that reads code: most rooms have none. */
export function lazyCode(options: CodeOptions): OpenCode {
  let loading: Promise<OpenCode> | undefined;
  const load = () => {
    loading ??= import("../code/open-code.ts").then(({ openCode }) => openCode(options));
    return loading;
  };
  return {
    outline: async (...asked) => (await load()).outline(...asked),
    occurrences: async (...asked) => (await load()).occurrences(...asked),
    index: async (...asked) => (await load()).index(...asked),
    close: async () => (await loading)?.close(),
  };
}
