import type { Json } from "./json.ts";
import { apiKey } from "./protocol.ts";
import type { ProviderKind, Script } from "./provider-server.ts";
import { startProvider } from "./start-provider.ts";

/** A change to a valid request, and the faults that it causes. */
export type Breaches = Readonly<
  Record<string, readonly [change: (body: Json) => unknown, ...sentences: string[]]>
>;

interface Asking {
  readonly kind: ProviderKind;
  /** The path after the base URL. */
  readonly path: string;
  readonly script: Script;
  /** Request bodies, in order. */
  readonly requests: readonly Json[];
  /** Whether only the rules for single requests are checked. */
  readonly forgets?: boolean;
}

/** Returns the faults that a server finds in requests, each as it was reported. */
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

/** Returns a changed copy of a request. */
export function changed(body: Json, change: (body: Json) => unknown): Json {
  const copy = structuredClone(body);
  change(copy);
  return copy;
}
