import type { Json } from "./json.ts";
import { apiKey } from "./protocol.ts";
import type { ProviderKind, Script } from "./provider-server.ts";
import { startProvider } from "./start-provider.ts";

/** What is done to a good request, and all that is then wrong with it. */
export type Breaches = Readonly<
  Record<string, readonly [change: (body: Json) => unknown, ...sentences: string[]]>
>;

interface Asking {
  readonly kind: ProviderKind;
  /** After the base URL. */
  readonly path: string;
  readonly script: Script;
  /** Bodies, in this order. */
  readonly requests: readonly Json[];
  /** Whether only the rules for single requests are of interest. */
  readonly forgets?: boolean;
}

/** What a server finds wrong with requests, each as it was answered. */
export async function breachesOf({
  kind,
  path,
  script,
  requests,
  forgets = false,
}: Asking): Promise<unknown> {
  const server = await startProvider(kind, script);
  const { baseUrl } = server.settings.providers![kind]!;
  const statuses: number[] = [];
  for (const body of requests) {
    const response = await fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await response.text();
    statuses.push(response.status);
    if (forgets) server.forget();
  }
  await server.close();
  return { statuses, breaches: server.breaches };
}

/** A copy of a request that is not as it should be. */
export function changed(body: Json, change: (body: Json) => unknown): Json {
  const copy = structuredClone(body);
  change(copy);
  return copy;
}
