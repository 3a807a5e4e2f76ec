import type { Run } from "../fleet.ts";

/** One line of a SWE-bench prediction file. */
interface Prediction {
  readonly instance_id: string;
  readonly model_name_or_path: string;
  readonly model_patch: string;
}

/** A prediction file for one model and one repetition, as the harness takes it. */
export interface PredictionFile {
  /** Distinguishes the file from the others; empty when there is only one. */
  readonly suffix: string;
  readonly predictions: readonly Prediction[];
}

/**
 * Returns the predictions of runs that were solved or unsolved. Others are left out, so that the harness does not count them
 * as unsolved.
 */
export async function toPredictions(
  runs: readonly Run[],
  readPatch: (run: Run) => Promise<string>,
): Promise<readonly PredictionFile[]> {
  const groups = Map.groupBy(runs.filter(isPredicted), groupOf);
  return Promise.all(
    [...groups].map(async ([name, own]) => {
      const predictions: Prediction[] = [];
      // One after the other: the patches may come from a remote store.
      for (const run of own) predictions.push(toPrediction(run, await readPatch(run)));
      return { suffix: groups.size === 1 ? "" : name.replace(/[^\w.-]+/g, "-"), predictions };
    }),
  );
}

function isPredicted({ outcome }: Run): boolean {
  return outcome === "solved" || outcome === "unsolved";
}

function groupOf({ spec }: Run): string {
  const repetition = spec.task
    .split(" ")
    .slice(1)
    .find((word) => /^\d+$/.test(word));
  return repetition === undefined ? spec.model : `${spec.model}-${repetition}`;
}

function toPrediction({ spec }: Run, patch: string): Prediction {
  return {
    instance_id: String(spec.data.instance_id ?? spec.task.split(" ")[0]),
    model_name_or_path: spec.model,
    model_patch: patch,
  };
}
