/** A part that is loaded on first use. After a failure, the next use tries again. */
export interface LoadedOnce<Part> {
  load(): Promise<Part>;
  /** Undefined before the first `load`, and after one that failed. */
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
