import type { Group } from "../harness.ts";
import { measureIndex } from "../index/measure-index.ts";

export const group: Group = { needs: [], cases: [], run: measureIndex };
