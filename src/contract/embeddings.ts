import type { Reading } from "./code.ts";

/** Turns texts into vectors. Texts of similar meaning get similar vectors. */
export interface Embedder {
  /** The model as "provider/name". Vectors of different models cannot be compared. */
  readonly model: string;
  /** The address that the texts are sent to, for users. */
  readonly address: string;
  embed(request: EmbeddingRequest, options: Reading): Promise<Embeddings>;
}

export interface EmbeddingRequest {
  /** At most `mostTexts`. */
  readonly texts: readonly string[];
  /** A question, or text that may answer one: some models distinguish them. */
  readonly purpose: "query" | "document";
}

/** The most texts of one request, which servers with small limits accept. */
export const mostTexts = 32;

export interface Embeddings {
  /** In the order of the texts, all of one length; undefined for a text that the model refuses. */
  readonly vectors: readonly (Float32Array | undefined)[];
  /** The tokens that the provider counted, or an estimate. */
  readonly tokens: number;
}
