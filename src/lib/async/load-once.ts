/** A part that is loaded with its first use. A failure is not kept: the next use tries again. */
export interface LoadedOnce<Part> {
  load(): Promise<Part>;
  /** Undefined when `load` was not called. */
  loaded(): Promise<Part> | undefined;
}

export function loadOnce<Part>(open: () => Promise<Part>): LoadedOnce<Part> {
  let loading: Promise<Part> | undefined;
  return {
    load: () => {
      loading ??= open().catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    loaded: () => loading,
  };
}
