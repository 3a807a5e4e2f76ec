import type { IndexState, VectorState } from "../contract/code.ts";
import { counted, showSize } from "../lib/text/format-quantity.ts";
import { realWorkspace, userDirectories } from "../system/directories.ts";
import { startAlone } from "../system/start-detached.ts";
import { workspaceId } from "../toolcrib/elsewhere.ts";
import { WorkspaceIndex } from "../toolcrib/workspace-index.ts";
import { configuredEmbedder } from "./config/with-config.ts";
import { placeName, placeOf, workspaceIdOf } from "./options.ts";
import { withProgress } from "./progress.ts";
import { printJson, remarkWarnings } from "./report.ts";
import { print } from "./terminal.ts";

type Options = ReadonlyMap<string, string>;

export async function buildIndex(options: Options): Promise<number> {
  const { index, result } = await withBuilder(options, (builder) =>
    withProgress("index", (progress, signal) => builder.build({ signal, progress })),
  );
  const { problem, ...counts } = result;
  const { vectors } = counts;
  const bytes = index.size ?? 0;
  if (options.has("json")) printJson({ ...counts, bytes, file: index.file, problem: problem ?? null });
  else print(`${[describe(counts, bytes), ...describeVectors(vectors)].join("\n")}\n`);
  const missing = vectors?.problem && [vectors.problem.message, vectors.problem.hint ?? ""].join(" ").trim();
  const problems = [problem, missing].filter((each) => each !== undefined);
  remarkWarnings(problems);
  return problems.length === 0 ? 0 : 1;
}

export async function buildInBackground(options: Options): Promise<number> {
  await withBuilder(options, (index) => index.buildInBackground());
  return 0;
}

/** Connects to the target, whose files are read. Everything else about an index needs no connection. */
async function withBuilder<Result>(
  options: Options,
  build: (index: WorkspaceIndex) => Promise<Result>,
): Promise<{ readonly index: WorkspaceIndex; readonly result: Result }> {
  const place = placeOf(options);
  const directories = userDirectories();
  const embedder = await configuredEmbedder({ options, operands: [] });
  if ("workspace" in place) {
    const index = new WorkspaceIndex({ ...place, ...directories, embedder });
    return { index, result: await build(index) };
  }
  const { openPlace } = await import("./policy/open-policy.ts");
  const environment = await openPlace(place, directories.state);
  const { workspace } = environment;
  const id = workspaceId(place);
  const index = new WorkspaceIndex({ workspace, id, environment, ...directories, embedder });
  try {
    return { index, result: await build(index) };
  } finally {
    await environment.close();
  }
}

/** Starts `toolcrib index --background` as a process of its own, which outlives this one. */
export function startIndexer(workspace: string): void {
  const words = ["index", "--background", "--workspace", realWorkspace(workspace)];
  startAlone(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...words], process.env);
}

export async function showStatus(options: Options): Promise<number> {
  const index = openIndex(options);
  const { size, file, builder } = index;
  const vectors = await index.vectors();
  const embedder = await configuredEmbedder({ options, operands: [] });
  const embeddings = embedder && { model: embedder.model, address: embedder.address };
  if (options.has("json")) {
    const usable = vectors === "damaged" ? null : (vectors ?? null);
    const found = { builder: builder ?? null, vectors: usable, embeddings: embeddings ?? null };
    printJson({ bytes: size ?? 0, file, ...found });
    return 0;
  }
  const lines = [
    describeSize(size, options),
    ...describeStored(vectors),
    ...(embeddings ? [`Code is sent to ${embeddings.model} at ${embeddings.address}.`] : []),
    ...describeBuilder(builder),
  ];
  print(`${lines.join("\n")}\n`);
  return 0;
}

export async function stopIndexer(options: Options): Promise<number> {
  const stopped = openIndex(options).stop();
  if (options.has("json")) printJson({ stopped: stopped ?? null });
  else
    print(
      stopped === undefined
        ? "No process builds the index in the background.\n"
        : `Stopped process ${stopped}. The index keeps what is built.\n`,
    );
  return 0;
}

export async function clearIndex(options: Options): Promise<number> {
  const index = openIndex(options);
  const bytes = index.size;
  index.discard();
  if (options.has("json")) printJson({ bytes: bytes ?? 0, file: index.file });
  else
    print(
      bytes === undefined ? `${describeSize(bytes, options)}\n` : `Deleted the index: ${showSize(bytes)}.\n`,
    );
  return 0;
}

function describeSize(bytes: number | undefined, options: Options): string {
  if (bytes !== undefined) return `The index has ${showSize(bytes)}.`;
  return `${options.has("target") ? placeName(workspaceIdOf(options)) : "The folder"} has no index.`;
}

function describeStored(vectors: Awaited<ReturnType<WorkspaceIndex["vectors"]>>): readonly string[] {
  if (vectors === undefined) return [];
  if (vectors === "damaged") return ["The vectors are damaged. The next search makes them again."];
  return [`${counted(vectors.vectors, "vector")} of ${vectors.model}; ${vectors.tokens} tokens sent.`];
}

function describeBuilder(builder: number | undefined): readonly string[] {
  if (builder === undefined) return [];
  return [`Process ${builder} is building it in the background. Stop it with: toolcrib index stop`];
}

function describeVectors(vectors: VectorState | undefined): readonly string[] {
  if (vectors === undefined) return [];
  const { model, pieces, missing, tokens } = vectors;
  return [
    `${pieces - missing} of ${counted(pieces, "piece")} have vectors of ${model}; ${tokens} tokens sent.`,
  ];
}

function openIndex(options: Options): WorkspaceIndex {
  return new WorkspaceIndex({ workspace: workspaceIdOf(options), ...userDirectories() });
}

function describe({ files, indexed, outlined }: IndexState, bytes: number): string {
  const done = `${counted(indexed, "file")} indexed, ${outlined} of them with symbols; ${showSize(bytes)}.`;
  const missing = files - indexed;
  return missing === 0 ? done : `${done}\n${counted(missing, "file")} could not be indexed.`;
}
