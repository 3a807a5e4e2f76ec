import * as mini from "zod/mini";

/** As one value, which an import on demand of a bundle gives whole. */
export const zod: typeof mini = mini;
