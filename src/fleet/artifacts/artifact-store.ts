import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { newIdentifier } from "../../lib/identifier.ts";

/** Keeps the artifacts of runs. */
export interface ArtifactStore {
  /** Stores files of a folder under a key such as `fleet/run/3`. Returns their folder or address. */
  put(key: string, folder: string, names: readonly string[]): Promise<string>;
}

/** Opens a folder, or `s3://bucket/prefix`. The credentials of S3 come from `variables`, never from a spec. */
export async function openArtifactStore(
  location: string,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<ArtifactStore> {
  if (/^s3:\/\//i.test(location)) {
    const { S3Artifacts } = await import("./s3-artifacts.ts");
    return new S3Artifacts(location, variables);
  }
  if (isAbsolute(location)) return new FolderArtifacts(location);
  throw new ToolError("invalid-input", `The folder of artifacts is not an absolute path: ${location}`, {
    hint: "Use an absolute path, or s3://bucket/prefix.",
  });
}

class FolderArtifacts implements ArtifactStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async put(key: string, folder: string, names: readonly string[]): Promise<string> {
    const target = join(this.#root, key);
    const draft = `${target}.${newIdentifier("draft")}`;
    await mkdir(dirname(target), { recursive: true });
    try {
      await mkdir(draft);
      for (const name of names) await copyFile(join(folder, name), join(draft, name));
      // An earlier attempt of the same delivery may have left its files.
      await rm(target, { recursive: true, force: true });
      await rename(draft, target);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    return target;
  }
}
