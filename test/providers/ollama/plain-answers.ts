import type { AskedAddress, PlainAnswer } from "../protocol.ts";
import { abilitiesOf, contextLength } from "./abilities.ts";

export function route({ method, address, models, body }: AskedAddress): "reply" | PlainAnswer | undefined {
  const { pathname } = address;
  if (method === "GET" && pathname === "/api/version") return { status: 200, body: { version: "0.32.6" } };
  if (method === "GET" && pathname === "/api/tags")
    return { status: 200, body: { models: models.map(tagOf) } };
  if (method !== "POST" || !["/api/chat", "/api/show"].includes(pathname)) return undefined;
  const name = String(body?.model ?? body?.name);
  if (!models.includes(name)) return { status: 404, body: errorBody(404, `model '${name}' not found`) };
  return pathname === "/api/chat" ? "reply" : { status: 200, body: shown(name) };
}

export function errorBody(_status: number, message: string): unknown {
  return { error: message };
}

function tagOf(name: string) {
  return {
    name,
    model: name,
    modified_at: "2026-10-01T08:00:00.000000000Z",
    size: 5_200_000_000,
    digest: "500a1f067a9f782620b40bee6f7b0c89e17ae61f686b92c24933e4ca4b2b8b41",
    details: detailsOf(name),
  };
}

function detailsOf(name: string) {
  const family = architectureOf(name);
  return {
    parent_model: "",
    format: "gguf",
    family,
    families: [family],
    parameter_size: "8.2B",
    quantization_level: "Q4_K_M",
  };
}

function architectureOf(name: string): string {
  return name.replace(/:.*/, "").replace(/\W/g, "");
}

function shown(name: string) {
  const architecture = architectureOf(name);
  return {
    modelfile: `FROM ${name}`,
    parameters: "",
    template: "{{ .Prompt }}",
    details: detailsOf(name),
    model_info: {
      "general.architecture": architecture,
      [`${architecture}.context_length`]: contextLength,
    },
    capabilities: abilitiesOf(name),
    modified_at: "2026-10-01T08:00:00.000000000Z",
  };
}
